// Opens pages that `stiction run` wrote in a headless Chromium, from file://, and compares what they show with the
// recordings. `--pictures` also takes the pictures of the README into docs/src/pictures/.
//
// STICTION names the command (default: cargo run), CHROMIUM the browser (default: /usr/bin/chromium).

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { fifty } from "./fifty.mjs";
import { readNpz } from "./npz.mjs";
import { pressing, readOut } from "./readout.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const pictures = process.argv.includes("--pictures") ? join(root, "docs", "src", "pictures") : null;

if (!existsSync(browserPath)) {
  console.log(`SKIPPED: the page is not tested, there is no Chromium at ${browserPath} (CHROMIUM names another)`);
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "stiction-page-"));
// SwiftShader draws without a graphics card; without the sandbox Chromium also starts as root in a container.
const browser = await chromium.launch({ executablePath: browserPath, args: ["--enable-unsafe-swiftshader", "--no-sandbox"] });
try {
  writeFileSync(join(scratch, "fifty.xml"), fifty());
  for (const scene of ["grasp", "incline", "humanoid"]) await compareWithRecording(scene, record(join(root, "scenes", `${scene}.xml`), scene));
  const withoutSlip = record(join(root, "scenes", "grasp.xml"), "no-slip", "--contact", "no-slip");
  await compareWithRecording("no-slip", withoutSlip);
  const files = record(join(scratch, "fifty.xml"), "fifty");
  await compareWithRecording("fifty", files);
  await served(files.page);
  await playback(files.page);
  await reading(files.page);
  await reading(withoutSlip.page);
  await colours(join(scratch, "humanoid.html"));
  await layout(files.page);
  await framesPerSecond(files.page);
  if (pictures) await takePictures();
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true });
}
console.log("the page: all tests pass");

/** Simulates a scene; returns the page and the recording. */
function record(scene, name, ...options) {
  const [page, npz] = ["html", "npz"].map((extension) => join(scratch, `${name}.${extension}`));
  const run = ["run", scene, ...options, "--quiet", "--out", page, "--out", npz];
  const command = process.env.STICTION;
  if (command) execFileSync(command, run, { stdio: ["ignore", "ignore", "inherit"] });
  else execFileSync("cargo", ["run", "--release", "--locked", "--quiet", "--", ...run], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return { page, npz };
}

/** Under the policy that `stiction view` sends, the page's program and style work, what is put into it does not, and no frame shows it. */
async function served(path) {
  const view = ["view", "--no-open", "--quiet", path];
  const command = process.env.STICTION;
  const server = command ? spawn(command, view) : spawn("cargo", ["run", "--release", "--locked", "--quiet", "--", ...view], { cwd: root });
  try {
    const url = (await new Promise((resolve) => server.stdout.once("data", (data) => resolve(String(data))))).trim();
    const { page, errors, close } = await open(url);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).display), "grid");
    assert.ok((await page.evaluate(() => window.stiction.frames)) > 0);
    assert.deepEqual(errors, []);
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.intruder = true";
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.intruder), undefined);
    assert.equal(await page.evaluate(() => fetch(location.href).then(() => "loaded", () => "refused")), "refused");
    assert.ok(errors.length >= 2 && errors.every((error) => error.includes("Content Security Policy")));
    errors.length = 0;
    await close();

    const outer = await browser.newPage();
    await outer.setContent(`<iframe src="${url}"></iframe>`);
    await outer.waitForTimeout(500);
    assert.ok(!outer.frames().some((frame) => frame.url().startsWith(url)), "a page elsewhere may not frame it");
    await outer.close();
  } finally {
    server.kill();
  }
}

/** Opens a page; its errors and requests are collected. */
async function open(path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, ...options });
  const [errors, requests] = [[], []];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.stack));
  page.on("request", (request) => requests.push(request.url()));
  const url = path.startsWith("http://") ? path : `file://${path}`;
  await page.goto(url);
  await page.waitForFunction(() => window.stiction?.ready || window.stiction?.error, null, { timeout: 120_000 });
  assert.equal(await page.evaluate(() => window.stiction.error), undefined);
  const close = async () => {
    await page.close();
    assert.deepEqual(errors, []);
    // Nothing but the page itself; its icon is inside it.
    assert.deepEqual(requests.filter((url) => !url.startsWith("data:")), [url]);
  };
  return { page, errors, close };
}

/** What joints, actuators and tendons transmit is what was recorded, to some 16 bits. */
function compareTransmitted(where, recording, step, { joints, actuators, tendons }) {
  const [from, to] = [recording.joint_ptr[step], recording.joint_ptr[step + 1]].map(Number);
  const expected = (name, first, count) => Array.from(recording[name].subarray(first, first + count));
  const lines = (name, found) => expected(name, found.length * step, found.length);
  for (const [found, right] of [
    [joints.flatMap(({ force }) => force), expected("joint_force", 3 * from, 3 * (to - from))],
    [joints.flatMap(({ moment }) => moment), expected("joint_moment", 3 * from, 3 * (to - from))],
    [actuators, lines("actuator_force", actuators)],
    [tendons, lines("tendon_tension", tendons)],
  ]) {
    assert.equal(found.length, right.length, where);
    found.forEach((x, i) => assert.ok(Math.abs(x - right[i]) <= 2e-5 * Math.abs(right[i]) + 1e-30, `${where}: ${x} ${right[i]}`));
  }
}

/** The arrows in 15 frames, and the last, are the recorded forces; read-out and markers are what they add up to. */
async function compareWithRecording(name, files) {
  const recording = readNpz(files.npz);
  const { page, close } = await open(files.page);
  const frames = await page.evaluate(() => window.stiction.frames);
  assert.equal(frames, recording.time.length, `${name}: every step is a frame`);
  let state = 12345;
  const random = (below) => (state = (Math.imul(state, 1103515245) + 12345) >>> 1) % below;
  let arrows = 0;
  for (const frame of [...Array.from({ length: 15 }, () => random(frames)), frames - 1]) {
    const shown = await page.evaluate((i) => {
      window.stiction.jump(i);
      window.stiction.draw();
      const { frame, step, arrows, markers } = window.stiction;
      const pairs = window.stiction.pairs().map((pair) => plain(pair));
      // Vectors become arrays.
      function plain(x) {
        if (Array.isArray(x)) return x.map(plain);
        if (typeof x !== "object") return x;
        return "z" in x ? [x.x, x.y, x.z] : Object.fromEntries(Object.entries(x).map(([key, value]) => [key, plain(value)]));
      }
      return { frame: frame(), step: step(), arrows: arrows(), markers: markers(), pairs, transmitted: window.stiction.transmitted() };
    }, frame);
    comparePairs(`${name}, frame ${frame}`, recording, frame, shown);
    compareTransmitted(`${name}, frame ${frame}`, recording, frame, shown.transmitted);
    assert.deepEqual([shown.frame, shown.step], [frame, frame + 1]);
    const expected = pressing(recording, frame);
    assert.equal(shown.arrows.length, expected.length, `${name}, frame ${frame}`);
    for (const [i, contact] of expected.entries()) {
      const { point, force } = contact;
      const size = Math.hypot(...force);
      // On the first body instead of the second where only that one moves.
      const sign = shown.arrows[i].vector.reduce((sum, x, k) => sum + x * force[k], 0) < 0 ? -1 : 1;
      const error = Math.hypot(...force.map((x, k) => shown.arrows[i].vector[k] - sign * x));
      assert.ok(error <= 1e-6 * size, `${name}, frame ${frame}, arrow ${i}: ${shown.arrows[i].vector} N, not ${force} N`);
      const away = Math.hypot(...point.map((x, k) => shown.arrows[i].point[k] - x));
      assert.ok(away <= 1e-5, `${name}, frame ${frame}, arrow ${i}: ${away} m away`);
      assert.equal(sign, isOnFirst(recording, contact) ? -1 : 1);
    }
    arrows += expected.length;
  }
  assert.ok(arrows > 50, `${name} has contacts`);
  await close();
  console.log(`${name}: 16 of ${frames} frames, ${arrows} arrows as recorded`);
}

/** The read-out of the page is that of the recording to 1e-6, and markers stand on the centres of pressure. */
function comparePairs(where, recording, step, { pairs, markers }) {
  const expected = readOut(recording, step);
  assert.equal(pairs.length, expected.length, where);
  const smallest = smallestMovingGeom(recording);
  const close = (what, found, exact, scale) => {
    const away = Math.hypot(...[exact].flat().map((x, k) => [found].flat()[k] - x));
    assert.ok(away <= 1e-6 * scale, `${where}, ${what}: ${found}, not ${exact}`);
  };
  // Single precision has no digits left below 1e-37.
  const closeMargin = (what, found, exact) => {
    assert.ok(Object.is(found, exact) || Math.abs(found - exact) <= 1e-6 * exact + 1e-37, `${where}, ${what}: margin ${found}, not ${exact}`);
  };
  for (const [i, pair] of pairs.entries()) {
    const exact = expected[i];
    assert.deepEqual([pair.geoms, pair.receiver, pair.pressing], [exact.geoms, exact.receiver, exact.pressing], where);
    assert.equal(pair.contacts.length, exact.contacts.length, where);
    for (const [j, contact] of pair.contacts.entries()) {
      const c = exact.contacts[j];
      const what = `contact ${j} of pair ${i}`;
      const size = Math.hypot(...c.force);
      close(`${what}, force`, contact.force, c.force, size);
      close(`${what}, impulse`, contact.impulse, c.impulse, size * recording.timestep[0]);
      close(`${what}, normal force`, contact.normalForce, c.normalForce, 2 * size);
      close(`${what}, tangential force`, contact.tangentialForce, c.tangentialForce, 2 * size);
      close(`${what}, point`, contact.point, c.point, smallest);
      close(`${what}, normal`, contact.normal, c.normal, 1);
      closeMargin(what, contact.margin, c.margin);
      assert.deepEqual([contact.law, contact.mode], [c.law, c.mode], `${where}, ${what}`);
      assert.equal(contact.mu, c.mu === Infinity ? Infinity : Math.fround(c.mu), `${where}, ${what}`);
      assert.ok(Math.abs(contact.gap - c.gap) <= 5e-4 * Math.abs(c.gap), `${where}, ${what}: gap ${contact.gap}, not ${c.gap}`);
    }
    // Points are rounded to parts of the smallest geom, forces to parts of themselves.
    const total = exact.contacts.reduce((sum, c) => sum + Math.hypot(...c.force), 0);
    const spread = Math.max(...exact.contacts.map((c) => Math.hypot(...c.point.map((x, k) => x - exact.center[k]))));
    const arm = smallest + spread * (exact.normalForce > 0 ? total / exact.normalForce : 1);
    close(`pair ${i}, centre`, pair.center, exact.center, arm);
    close(`pair ${i}, force`, pair.force, exact.force, total);
    close(`pair ${i}, moment`, pair.moment, exact.moment, total * arm);
    close(`pair ${i}, normal force`, pair.normalForce, exact.normalForce, total);
    closeMargin(`pair ${i}`, pair.margin, exact.margin);
  }
  const marked = expected.filter(({ pressing }) => pressing > 1);
  assert.deepEqual(markers.map(({ geoms }) => geoms), marked.map(({ geoms }) => geoms), where);
  for (const { geoms, point } of markers) {
    const pair = pairs.find((p) => p.geoms[0] === geoms[0] && p.geoms[1] === geoms[1]);
    close("marker", point, pair.center, Math.max(1, Math.hypot(...pair.center)));
  }
}

/** Largest size of the smallest geom on a body that can move (m). */
function smallestMovingGeom(recording) {
  const geoms = Array.from(recording.geom_body.keys()).filter((g) => recording.body_fixed[recording.geom_body[g]] === 0);
  return Math.min(...geoms.map((g) => Math.max(...recording.geom_size.subarray(3 * g, 3 * g + 3))));
}

/** Whether the second body of a contact is fixed and the first is not. */
function isOnFirst(recording, { geoms }) {
  const [first, second] = geoms.map((geom) => recording.body_fixed[recording.geom_body[geom]] === 1);
  return second && !first;
}

/** Steps, keys, the time line, plots, hovering and switches do what they say. */
async function playback(path) {
  const { page, close } = await open(path);
  const frame = () => page.evaluate(() => window.stiction.frame());
  const frames = await page.evaluate(() => window.stiction.frames);
  await page.evaluate(() => window.stiction.jump(100));
  await page.click("#forward");
  assert.equal(await frame(), 101);
  await page.click("#back");
  await page.click("#back");
  assert.equal(await frame(), 99);
  await page.locator("#view").focus();
  for (const [key, expected] of [["ArrowRight", 100], ["ArrowLeft", 99], ["Shift+ArrowRight", 109], ["Home", 0], ["ArrowLeft", 0], ["End", frames - 1]]) {
    await page.keyboard.press(key);
    assert.equal(await frame(), expected, key);
  }
  await page.locator("#time").focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await frame(), frames - 2, "the time line moves by one step");

  const box = await page.locator(".plot-box").nth(3).boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height / 2);
  const clicked = await frame();
  assert.ok(clicked > 0.45 * frames && clicked < 0.65 * frames, `a click in a plot jumped to ${clicked}`);

  await page.evaluate(() => window.stiction.jump(0));
  await page.locator("#view").focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stiction.frame() > 5);
  await page.keyboard.press("Space");
  const paused = await frame();
  await page.waitForTimeout(200);
  assert.equal(await frame(), paused, "a pause holds the frame");

  await page.evaluate(() => window.stiction.jump(window.stiction.frames - 1));
  const arrows = () => page.evaluate(() => window.stiction.arrows().length);
  assert.ok((await arrows()) > 0);
  await page.keyboard.press("a");
  assert.equal(await arrows(), 0, "forces can be switched off");
  await page.keyboard.press("a");

  for (const [i, canvas] of (await page.locator(".plot canvas").all()).entries()) {
    const inked = await canvas.evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.filter((a, k) => k % 4 === 3 && a > 0).length);
    assert.ok(inked > 400, `plot ${i} has ${inked} pixels`);
  }
  // At the end there are contacts to hover over, at the start bodies only.
  await hoverUntil(page, "Normal force");
  await page.evaluate(() => window.stiction.jump(0));
  await hoverUntil(page, "Speed");
  await close();
}

/** A click on a contact, and on the lists, chooses; what the tables say are the numbers of the read-out. */
async function reading(path) {
  const { page, close } = await open(path);
  await page.evaluate(() => window.stiction.jump(window.stiction.frames - 1));
  const part = (n) => page.locator("#readout section").nth(n);
  assert.ok(!(await part(1).isVisible()) && !(await part(2).isVisible()), "nothing is chosen at first");
  await hoverUntil(page, "Normal force");
  await page.mouse.down();
  await page.mouse.up();
  assert.ok(await part(2).isVisible(), "a click chooses the contact");
  await page.keyboard.press("Escape");
  assert.ok(!(await part(1).isVisible()), "Escape lets go");

  const pairs = await page.evaluate(() => window.stiction.pairs().map((pair) => {
    const { center, force, moment, normalForce, margin, contacts } = pair;
    const numbers = contacts.map((c) => ({ Point: c.point, Normal: c.normal, Impulse: c.impulse, Force: c.force, "Normal force": c.normalForce, "Tangential force": c.tangentialForce, [c.law === "no-slip" ? "Friction needed" : "Margin"]: c.margin }));
    return { Centre: center, Force: force, Moment: moment, "Normal force": normalForce, "Largest margin": margin, numbers };
  }));
  assert.equal(await part(0).locator(".list-row:visible").count(), pairs.length);
  for (const [i, { numbers, ...pair }] of pairs.entries()) {
    await part(0).locator(".list-row").nth(i).click();
    await compareTable(part(1), pair);
    for (const [j, contact] of numbers.entries()) {
      await part(1).locator(".list-row").nth(j).click();
      await compareTable(part(2), contact);
    }
  }
  await page.keyboard.press("r");
  assert.ok(!(await page.locator("#readout").isVisible()), "the read-out can be closed");
  await close();
}

/** The numbers that a table of the panel shows are these, to the three digits that it shows at least. */
async function compareTable(part, expected) {
  const rows = await part.locator("tr").evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  for (const [name, value] of Object.entries(expected)) {
    const row = rows.find(([title]) => title === name);
    const numbers = typeof value === "number" ? [value] : [value.x, value.y, value.z];
    const largest = Math.max(...numbers.map(Math.abs));
    for (const [k, x] of numbers.entries()) {
      const text = row[k + 1];
      const away = Number.isNaN(x) ? Number(text !== "none") : Math.abs(parse(text) - x);
      assert.ok(away <= 5e-3 * (largest || 1), `${name}: ${row.slice(1)}, not ${numbers}`);
    }
  }
}

/** A number from a text like −1.02×10⁻⁶. */
function parse(text) {
  const ascii = text.replace("\u00d710", "e").replaceAll(/[\u2212\u207b]/g, "-");
  return Number(ascii.replaceAll(/[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]/g, (digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".indexOf(digit)));
}

/** Arrows are coloured by mode, or from blue to red by margin. */
async function colours(path) {
  const { page, close } = await open(path);
  const seen = { mode: new Map(), margin: new Map() };
  for (const by of ["mode", "margin"]) {
    if (by === "margin") await page.keyboard.press("m");
    for (let part = 0.1; part < 1; part += 0.02) {
      const arrows = await page.evaluate((p) => {
        window.stiction.jump(Math.round(p * window.stiction.frames));
        const contacts = new Map(window.stiction.pairs().flatMap((pair) => pair.contacts.map((c) => [c.index, c])));
        return window.stiction.arrows().map(({ contact, colour }) => [contacts.get(contact).mode, contacts.get(contact).margin, colour]);
      }, part);
      for (const [mode, margin, colour] of arrows) seen[by].set(by === "mode" ? mode : margin, colour);
    }
  }
  const modes = { 1: "#0072b2", 2: "#d55e00" };
  for (const mode of [1, 2]) assert.equal(seen.mode.get(mode), modes[mode]);
  const margins = [...seen.margin].sort(([a], [b]) => a - b);
  const [red, blue] = [1, 5].map((k) => margins.map(([, colour]) => parseInt(colour.slice(k, k + 2), 16)));
  assert.ok(red[0] < 60 && blue[0] > 150, `the least margin, ${margins[0]}, is blue`);
  assert.equal(margins.at(-1)[1], "#d55e00", `the largest margin, ${margins.at(-1)}, is red`);
  for (let i = 1; i < margins.length; i++) assert.ok(blue[i] <= blue[i - 1], `${margins[i]} is no less blue than ${margins[i - 1]}`);
  await close();
}

/** Moves the pointer over the scene until what it says has this row. */
async function hoverUntil(page, row) {
  const stage = await page.locator("#stage").boundingBox();
  for (let i = 0; i < 120; i++) {
    const [column, line] = [i % 12, Math.floor(i / 12)];
    await page.mouse.move(stage.x + (stage.width * (column + 1)) / 13, stage.y + stage.height * (0.3 + 0.05 * line));
    await page.waitForTimeout(60);
    if ((await page.locator("#tip dt:visible").allTextContents()).includes(row)) return;
  }
  assert.fail(`nothing in the scene has the row ${row}`);
}

/** Nothing sticks out of narrow and wide windows, and the scene is drawn in light and dark. */
async function layout(path) {
  for (const [width, height, colorScheme] of [[360, 740, "light"], [820, 1100, "dark"], [1280, 860, "dark"], [1900, 1000, "light"]]) {
    const { page, close } = await open(path, { viewport: { width, height }, colorScheme });
    const [needed, available] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(needed <= available, `${width}: ${needed} pixels wide`);
    await panelFits(page, width);
    const colours = await page.evaluate(() => {
      const view = document.getElementById("view");
      const copy = new OffscreenCanvas(view.width, view.height).getContext("2d");
      window.stiction.draw();
      copy.drawImage(view, 0, 0);
      return new Set(new Uint32Array(copy.getImageData(0, 0, view.width, view.height).data.buffer)).size;
    });
    assert.ok(colours > 100, `${width}: ${colours} colours`);
    await close();
  }
}

/** The read-out stands beside the scene or below it, and its numbers have room. */
async function panelFits(page, width) {
  await page.evaluate(() => {
    window.stiction.jump(window.stiction.frames - 1);
    const box = document.getElementById("numbers");
    if (!box.checked) box.click();
    document.querySelector("#readout .list-row").click();
    document.querySelector("#readout section:nth-of-type(2) .list-row").click();
  });
  const { overlap, wide } = await page.evaluate(() => {
    const [stage, panel] = ["stage", "readout"].map((id) => document.getElementById(id).getBoundingClientRect());
    const cells = [...document.querySelectorAll("#readout td, #readout .list-row > :not(.label)")];
    return {
      overlap: Math.min(stage.right, panel.right) - Math.max(stage.left, panel.left) > 0.5 && Math.min(stage.bottom, panel.bottom) - Math.max(stage.top, panel.top) > 0.5,
      wide: cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
    };
  });
  assert.ok(!overlap, `${width}: the read-out covers the scene`);
  assert.deepEqual(wide, [], `${width}: numbers without room`);
}

/** How fast frames are drawn one after the other, every fifth of them; a measurement, not a test. */
async function framesPerSecond(path) {
  const { page, close } = await open(path);
  const { frames, seconds } = await page.evaluate(async () => {
    const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const frames = 40;
    for (let i = 0; i < 10; i++) await next();
    const start = performance.now();
    for (let i = 0; i < frames; i++) {
      window.stiction.jump(Math.floor((i * window.stiction.frames) / frames));
      await next();
    }
    return { frames, seconds: (performance.now() - start) / 1e3 };
  });
  const rate = (frames / seconds).toFixed(1);
  console.log(`50 bodies: ${frames} of 600 frames in ${seconds.toFixed(1)} s, ${rate} frames/s in software rendering, 1280 x 860`);
  await close();
}

/** The pictures of the README. */
async function takePictures() {
  const picture = async (name, scene, part, options, look = async () => {}) => {
    const { page, close } = await open(join(scratch, `${scene}.html`), options);
    await page.evaluate((p) => window.stiction.jump(Math.round(p * (window.stiction.frames - 1))), part);
    await look(page);
    await page.waitForTimeout(500);
    await page.evaluate(() => window.stiction.draw());
    await page.screenshot({ path: join(pictures, name) });
    await close();
  };
  const choose = async (page, pair, contact) => {
    await page.locator("#readout section").nth(0).locator(".list-row", { hasText: pair }).click();
    await page.locator("#readout section").nth(1).locator(".list-row").nth(contact).click();
    await page.mouse.move(0, 0);
  };
  const tall = { viewport: { width: 1280, height: 920 } };
  await picture("page-grasp.png", "grasp", 0.5, tall, (page) => choose(page, "right_cube \u2194 right_gripper", 1));
  await picture("page-humanoid.png", "humanoid", 0.9, { ...tall, colorScheme: "dark" }, async (page) => {
    await page.keyboard.press("m");
    const stage = await page.locator("#stage").boundingBox();
    await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2);
    await page.mouse.wheel(0, -500);
    await choose(page, "pelvis", 0);
  });
}
