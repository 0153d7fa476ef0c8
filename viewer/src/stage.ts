// The scene: bodies, ground, light and camera. It draws when something has changed, not otherwise.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Ground } from "./ground";
import type { Geom, Recording } from "./recording";
import { shape } from "./shapes";
import { type Theme, theme } from "./theme";

/** Where the camera looks from, before anybody turns it. */
const VIEW = new THREE.Vector3(0.62, -1, 0.42).normalize();

/** Vertical field of view (degrees). */
const FIELD = 32;

/** Frames looked at to find how much room the scene needs. */
const SAMPLES = 48;

/** This part of what the samples say at either end is left out: a body that flies away is not the scene. */
const OUTLIERS = 0.03;

/** A picture that takes longer than this (ms) is drawn with fewer pixels while things move. */
const SLOW = 60;

/** So many pixels along each side then. */
const COARSE = 0.5;

/** Things are still when nothing was drawn for this long (ms), or three times as long as a picture takes. */
const STILL = 250;

/** Opacity of bodies that can be looked through. */
const GLASS = 0.28;

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** Room that the scene takes (m). */
  readonly room: THREE.Box3;
  readonly radius: number;
  /** Called before each picture. */
  beforeDraw: () => void = () => {};
  private readonly renderer: THREE.WebGLRenderer;
  private readonly bodies: THREE.Group[];
  private readonly painted: Painted[] = [];
  private readonly grounds: [Ground, Geom][] = [];
  private readonly sun = new THREE.DirectionalLight("#ffffff", 1.9);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#ffffff", 2);
  private glass = false;
  private requested = false;
  /** How long a picture takes (ms), smoothed. */
  private cost = 0;
  private coarse = false;
  private still = 0;
  private followed: { body: number; last: THREE.Vector3 } | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly recording: Recording,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.bodies = recording.header.bodies.map(() => new THREE.Group());
    this.bodies.forEach((body) => this.scene.add(body));
    this.room = room(recording);
    this.radius = this.room.getSize(new THREE.Vector3()).length() / 2;
    recording.header.geoms.forEach((geom, index) => this.addGeom(geom, index));
    this.scene.add(this.sky, this.sun, this.sun.target);
    this.light();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomSpeed = 1.5;
    this.controls.addEventListener("change", () => this.invalidate());
    this.paint();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    this.fit();
  }

  /** Asks for a picture, soon. */
  invalidate(): void {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame((start) => {
      this.setCoarse(this.cost > SLOW);
      this.render();
      // The next picture has to wait for this one.
      requestAnimationFrame((end) => (this.cost += 0.4 * (end - start - this.cost)));
      clearTimeout(this.still);
      this.still = window.setTimeout(() => this.rest(), Math.max(STILL, 3 * this.cost));
    });
  }

  /** Draws now, finely. */
  draw(): void {
    this.setCoarse(false);
    this.render();
  }

  private render(): void {
    this.requested = false;
    this.controls.update();
    this.beforeDraw();
    this.renderer.render(this.scene, this.camera);
  }

  /** Draws finely what does not move any more. */
  private rest(): void {
    if (this.coarse && !this.requested) this.draw();
  }

  private setCoarse(coarse: boolean): void {
    if (coarse === this.coarse) return;
    this.coarse = coarse;
    this.renderer.setPixelRatio(this.pixelRatio());
  }

  private pixelRatio(): number {
    return Math.min(devicePixelRatio, 2) * (this.coarse ? COARSE : 1);
  }

  /** Puts the bodies where they are in a frame. */
  show(frame: number): void {
    this.bodies.forEach((group, body) => {
      const [w, x, y, z] = this.recording.turn(frame, body);
      group.position.set(...this.recording.place(frame, body));
      group.quaternion.set(x, y, z, w).normalize();
    });
    this.follow();
    this.invalidate();
  }

  /** Keeps a body in the middle from now on; `null` lets it go. */
  setFollowed(body: number | null): void {
    this.followed = body === null ? null : { body, last: this.bodies[body].position.clone() };
    if (body === null) return;
    this.move(this.bodies[body].position.clone().sub(this.controls.target));
  }

  /** Turns the camera to where the whole scene is seen. */
  fit(): void {
    const center = this.room.getCenter(new THREE.Vector3());
    const corners = Array.from({ length: 8 }, (_, i) => {
      const { min, max } = this.room;
      return new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
    });
    const inside = (distance: number) => {
      this.camera.position.copy(center).addScaledVector(VIEW, distance);
      this.camera.lookAt(center);
      this.camera.updateMatrixWorld();
      return corners.every((corner) => {
        const at = corner.clone().project(this.camera);
        return Math.max(Math.abs(at.x), Math.abs(at.y)) < 0.8 && at.z < 1;
      });
    };
    this.camera.near = this.radius / 200;
    this.camera.far = this.radius * 200;
    this.camera.updateProjectionMatrix();
    let [near, far] = [0, 40 * this.radius];
    for (let i = 0; i < 30; i++) {
      const middle = (near + far) / 2;
      if (inside(middle)) far = middle;
      else near = middle;
    }
    inside(far);
    this.controls.target.copy(center);
    this.controls.update();
    this.invalidate();
  }

  /** Lets the bodies be looked through, or not. */
  setGlass(glass: boolean): void {
    this.glass = glass;
    this.paint();
  }

  /** Colours everything anew. */
  paint(): void {
    const colours = theme();
    this.sky.color.set(colours.sky);
    this.sky.groundColor.set(colours.earth);
    this.grounds.forEach(([ground, geom]) => ground.colour(colours, geom.rgba));
    for (const { geom, surface, lines } of this.painted) {
      const [colour, opacity] = this.colour(geom, colours);
      const material = surface.material as THREE.MeshLambertMaterial;
      const seen = this.glass && !this.recording.header.bodies[geom.body].fixed ? Math.min(opacity, GLASS) : opacity;
      material.color.copy(colour);
      material.opacity = seen;
      material.transparent = seen < 1;
      material.depthWrite = seen >= 1;
      material.needsUpdate = true;
      surface.castShadow = opacity > 0.5;
      if (!lines) continue;
      const line = lines.material as THREE.LineBasicMaterial;
      line.color.copy(colour).lerp(new THREE.Color(colours.edge), colours.edgeMix);
      line.opacity = opacity < 1 ? opacity : 0.9;
    }
    this.invalidate();
  }

  /** The body under a place of the window, with its geom; the floor does not count. */
  pick(x: number, y: number): { geom: number; distance: number } | null {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const hit = ray.intersectObjects(this.painted.map((p) => p.surface), false)[0];
    return hit ? { geom: hit.object.userData.geom as number, distance: hit.distance } : null;
  }

  private follow(): void {
    if (!this.followed) return;
    const place = this.bodies[this.followed.body].position;
    this.move(place.clone().sub(this.followed.last));
    this.followed.last.copy(place);
  }

  private move(by: THREE.Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.invalidate();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (!width || !height) return;
    this.renderer.setPixelRatio(this.pixelRatio());
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  private addGeom(geom: Geom, index: number): void {
    const [w, x, y, z] = geom.orientation;
    const turn = new THREE.Quaternion(x, y, z, w).normalize();
    if (geom.shape === "plane") {
      this.addGround(geom, turn);
      return;
    }
    const { surface, lines } = shape(geom, this.recording);
    const mesh = new THREE.Mesh(surface, new THREE.MeshLambertMaterial());
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.position.set(...geom.position);
    mesh.quaternion.copy(turn);
    mesh.userData.geom = index;
    // Faces step back a little, so that lines on them are seen whole.
    Object.assign(mesh.material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const drawn = lines && new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ transparent: true }));
    if (drawn) mesh.add(drawn);
    this.bodies[geom.body].add(mesh);
    this.painted.push({ geom, surface: mesh, lines: drawn });
  }

  private addGround(geom: Geom, turn: THREE.Quaternion): void {
    const pose = new THREE.Matrix4().compose(new THREE.Vector3(...geom.position), turn, new THREE.Vector3(1, 1, 1));
    const [w, x, y, z] = this.recording.turn(0, geom.body);
    const body = new THREE.Matrix4().compose(
      new THREE.Vector3(...this.recording.place(0, geom.body)),
      new THREE.Quaternion(x, y, z, w).normalize(),
      new THREE.Vector3(1, 1, 1),
    );
    const ground = new Ground(this.radius, body.multiply(pose), this.room.getCenter(new THREE.Vector3()));
    ground.mesh.applyMatrix4(pose);
    this.bodies[geom.body].add(ground.mesh);
    this.grounds.push([ground, geom]);
  }

  private colour(geom: Geom, colours: Theme): [THREE.Color, number] {
    if (geom.rgba) {
      const [r, g, b, a] = geom.rgba;
      return [new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace), a];
    }
    const fixed = this.recording.header.bodies[geom.body].fixed;
    return [new THREE.Color(fixed ? colours.fixed : colours.bodies[geom.body % colours.bodies.length]), 1];
  }

  /** The sun, high, from the left of the camera, and shadows where the scene is. */
  private light(): void {
    const center = this.room.getCenter(new THREE.Vector3());
    const reach = 1.7 * this.radius;
    this.sun.position.copy(center).add(new THREE.Vector3(-0.55, -0.6, 1.25).normalize().multiplyScalar(4 * this.radius));
    this.sun.target.position.copy(center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 2.5;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.shadow.bias = -0.0004;
    const { camera } = this.sun.shadow;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: this.radius, far: 8 * this.radius });
    camera.updateProjectionMatrix();
  }
}

interface Painted {
  geom: Geom;
  surface: THREE.Mesh;
  lines: THREE.LineSegments | null;
}

/** How far a geom reaches from its own origin (m). */
function reach({ shape, size: [a, b, c] }: Geom, recording: Recording, data: number): number {
  switch (shape) {
    case "plane":
      return 0;
    case "sphere":
      return a;
    case "capsule":
      return a + b;
    case "cylinder":
      return Math.hypot(a, b);
    case "ellipsoid":
      return Math.max(a, b, c);
    case "hfield":
      return Math.hypot(a, b);
    case "mesh": {
      const v = recording.meshes[data].vertices;
      let largest = 0;
      for (let i = 0; i < v.length; i += 3) largest = Math.max(largest, Math.hypot(v[i], v[i + 1], v[i + 2]));
      return largest;
    }
    default:
      return Math.hypot(a, b, c);
  }
}

/** The room that moving bodies take over the recording, and fixed ones that are not much larger. */
function room(recording: Recording): THREE.Box3 {
  const { bodies, geoms } = recording.header;
  const low: number[][] = [[], [], []];
  const high: number[][] = [[], [], []];
  const samples = Math.min(SAMPLES, recording.frames);
  for (let i = 0; i < samples; i++) {
    const frame = samples > 1 ? Math.round((i * (recording.frames - 1)) / (samples - 1)) : 0;
    for (const geom of geoms) {
      if (bodies[geom.body].fixed || geom.shape === "plane") continue;
      const [w, x, y, z] = recording.turn(frame, geom.body);
      const center = new THREE.Vector3(...geom.position)
        .applyQuaternion(new THREE.Quaternion(x, y, z, w).normalize())
        .add(new THREE.Vector3(...recording.place(frame, geom.body)));
      const r = reach(geom, recording, geom.data) * 0.8;
      center.toArray().forEach((c, k) => (low[k].push(c - r), high[k].push(c + r)));
    }
  }
  const quantile = (values: number[], part: number) => {
    const sorted = values.slice().sort((a, b) => a - b);
    return sorted[Math.round(part * (sorted.length - 1))];
  };
  const box = new THREE.Box3();
  if (low[0].length > 0) {
    box.min.fromArray(low.map((values) => quantile(values, OUTLIERS)));
    box.max.fromArray(high.map((values) => quantile(values, 1 - OUTLIERS)));
  }
  const size = box.isEmpty() ? Infinity : box.getSize(new THREE.Vector3()).length();
  for (const geom of geoms) {
    if (!bodies[geom.body].fixed || geom.shape === "plane") continue;
    const r = reach(geom, recording, geom.data);
    if (2 * r > 1.5 * size) continue;
    const center = new THREE.Vector3(...recording.place(0, geom.body)).add(new THREE.Vector3(...geom.position));
    box.union(new THREE.Box3().setFromCenterAndSize(center, new THREE.Vector3(2 * r, 2 * r, 2 * r)));
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  return box;
}
