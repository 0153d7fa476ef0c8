// A scene of 50 bodies that fall on a floor in small groups: boxes, balls and capsules.

/** The scene as MJCF; the numbers are from a fixed sequence. */
export function fifty() {
  let state = 7;
  const random = (low, high) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + ((high - low) * state) / 2 ** 32;
  };
  const number = (x) => x.toFixed(4);
  const shapes = [
    () => `type="box" size="${number(random(0.09, 0.13))} ${number(random(0.09, 0.13))} ${number(random(0.06, 0.09))}"`,
    () => `type="sphere" size="${number(random(0.07, 0.11))}"`,
    () => `type="capsule" size="${number(random(0.05, 0.07))} ${number(random(0.06, 0.1))}"`,
  ];
  const colours = ["0.86 0.58 0.33 1", "0.36 0.55 0.72 1", "0.55 0.68 0.47 1", "0.83 0.78 0.66 1"];
  const bodies = Array.from({ length: 50 }, (_, i) => {
    const [column, row, layer] = [i % 5, Math.floor(i / 5) % 5, Math.floor(i / 25)];
    const [x, y] = [column - 2, row - 2].map((k) => number(0.55 * k + random(-0.03, 0.03)));
    const euler = [0, 1, 2].map(() => number(random(-40, 40))).join(" ");
    return `    <body name="b${i}" pos="${x} ${y} ${number(0.3 + 0.5 * layer)}" euler="${euler}"><freejoint/>
      <geom ${shapes[(i + layer) % 3]()} density="500" friction="0.5" rgba="${colours[i % 4]}"/></body>`;
  });
  return `<mujoco model="fifty">
  <option timestep="0.005"/>
  <custom><numeric name="stiction:duration" data="3"/></custom>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
${bodies.join("\n")}
  </worldbody>
</mujoco>
`;
}
