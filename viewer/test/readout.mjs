// The read-out of a step from the arrays of a recording: what the page must show.

/** Pairs of geoms with their contacts, as `viewer/src/readout.ts` describes them. */
export function readOut(recording, step) {
  const pairs = new Map();
  for (const acts of actsOfContacts(recording, step)) {
    const key = [recording.contact_geom1[acts[0]], recording.contact_geom2[acts[0]]].join();
    pairs.set(key, [...(pairs.get(key) ?? []), acts]);
  }
  return [...pairs.values()].map((contacts) => addUp(recording, contacts));
}

/** The contacts of a step that carry a force on their second geom, in the order of the recording. */
export function pressing(recording, step) {
  const contacts = actsOfContacts(recording, step).map((acts) => {
    const geoms = [recording.contact_geom1[acts[0]], recording.contact_geom2[acts[0]]];
    return { geoms, ...wholeContact(acts.map((c) => readContact(recording, c, 1))) };
  });
  // The page has single precision.
  return contacts.filter(({ force }) => force.some((x) => Math.fround(x) !== 0));
}

/** The entries of each contact of a step: one that acts several times is one contact. */
function actsOfContacts(recording, step) {
  const [from, to] = [recording.contact_ptr[step], recording.contact_ptr[step + 1]].map(Number);
  const contacts = [];
  for (let c = from; c < to; c++) {
    if (recording.contact_act[c] > 0) contacts.at(-1).push(c);
    else contacts.push([c]);
  }
  return contacts;
}

function addUp(recording, indices) {
  const geoms = [recording.contact_geom1[indices[0][0]], recording.contact_geom2[indices[0][0]]];
  const [firstFixed, secondFixed] = geoms.map((geom) => recording.body_fixed[recording.geom_body[geom]] === 1);
  const onFirst = secondFixed && !firstFixed;
  const contacts = indices.map((acts) => wholeContact(acts.map((c) => readContact(recording, c, onFirst ? -1 : 1))));
  const weights = contacts.map((c) => Math.max(c.normalForce, 0));
  const plain = weights.every((w) => w === 0);
  const total = plain ? contacts.length : weights.reduce((a, b) => a + b);
  const center = sum(contacts.map((c, i) => c.point.map((x) => (x * (plain ? 1 : weights[i])) / total)));
  const margins = contacts.map((c) => c.margin).filter((margin) => !Number.isNaN(margin));
  return {
    geoms,
    receiver: geoms[onFirst ? 0 : 1],
    contacts,
    pressing: weights.filter((w) => w > 0).length,
    center,
    force: sum(contacts.map((c) => c.force)),
    moment: sum(contacts.map((c) => cross(c.point.map((x, k) => x - center[k]), c.force))),
    normalForce: contacts.reduce((all, c) => all + c.normalForce, 0),
    margin: margins.length > 0 ? Math.max(...margins) : NaN,
  };
}

/** Where a contact is at last, with the sums of what its acts carried. */
function wholeContact(acts) {
  if (acts.length === 1) return acts[0];
  const total = (of) => acts.reduce((all, act) => all + of(act), 0);
  const pressed = total((act) => Math.max(act.impulses[0], 0));
  const share = (act) => (pressed > 0 ? Math.max(act.impulses[0], 0) / pressed : 0);
  const told = acts.findLast((act) => act.sustained) ?? acts.at(-1);
  const force = sum(acts.map((act) => act.force));
  const normalForce = force.reduce((all, x, k) => all + x * told.normal[k], 0);
  return {
    ...told,
    impulse: sum(acts.map((act) => act.impulse)),
    force,
    normalForce,
    tangentialForce: Math.hypot(...force.map((x, k) => x - normalForce * told.normal[k])),
    mode: (acts.findLast((act) => share(act) > 1e-6) ?? told).mode,
    margin: Number.isNaN(told.margin) || pressed === 0 ? told.margin : total((act) => share(act) * act.margin),
  };
}

function readContact(recording, c, sign) {
  const frame = recording.contact_frame.subarray(9 * c, 9 * c + 9);
  const impulses = Array.from(recording.contact_impulse.subarray(3 * c, 3 * c + 3));
  const impulse = [0, 1, 2].map((axis) => sign * [0, 1, 2].reduce((all, row) => all + frame[3 * row + axis] * impulses[row], 0));
  const h = recording.timestep[0];
  return {
    impulses,
    impulse,
    force: impulse.map((x) => x / h),
    normalForce: impulses[0] / h,
    tangentialForce: Math.hypot(impulses[1], impulses[2]) / h,
    point: Array.from(recording.contact_point.subarray(3 * c, 3 * c + 3)),
    normal: Array.from(frame.subarray(0, 3), (x) => sign * x),
    gap: recording.contact_gap[c],
    sustained: Number.isFinite(recording.contact_sustained[3 * c]),
    law: ["frictionless", "coulomb", "no-slip", "viscous", "coulomb viscous"][recording.contact_law[c]],
    mu: recording.contact_mu[c],
    mode: recording.contact_mode[c],
    margin: recording.contact_margin[c] < 0 ? NaN : recording.contact_margin[c],
  };
}

function sum(vectors) {
  return vectors.reduce((all, x) => all.map((a, k) => a + x[k]), [0, 0, 0]);
}

function cross([a, b, c], [x, y, z]) {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}
