// Infinite planes: a square around the scene that fades out, with a grid whose cell is a round length.

import * as THREE from "three";
import { round125 } from "./format";
import type { Theme } from "./theme";

export class Ground {
  readonly mesh: THREE.Mesh;
  private readonly uniforms: Record<string, THREE.IUniform>;
  private readonly material: THREE.MeshLambertMaterial;

  /** `radius` is that of the scene (m), `reach` how far the plane is drawn. */
  constructor(radius: number, pose: THREE.Matrix4, center: THREE.Vector3) {
    const reach = 9 * radius;
    const local = center.clone().applyMatrix4(pose.clone().invert());
    this.uniforms = {
      gridColor: { value: new THREE.Color() },
      cell: { value: round125(radius * 0.6) },
      middle: { value: new THREE.Vector2(local.x, local.y) },
      reach: { value: reach },
    };
    this.material = new THREE.MeshLambertMaterial({ transparent: true });
    this.material.onBeforeCompile = (shader) => this.draw(shader);
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach).translate(local.x, local.y, 0), this.material);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -1;
  }

  colour(theme: Theme, rgba: number[] | null): void {
    const colour = this.material.color.set(theme.ground);
    // A scene's colour tints the ground; it does not shout.
    if (rgba) colour.lerp(new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace), 0.2);
    this.uniforms.gridColor.value.set(theme.grid);
  }

  private draw(shader: THREE.WebGLProgramParametersWithUniforms): void {
    Object.assign(shader.uniforms, this.uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 onPlane;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nonPlane = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying vec2 onPlane;
        uniform vec3 gridColor;
        uniform vec2 middle;
        uniform float cell;
        uniform float reach;
        float line(vec2 x) {
          vec2 width = fwidth(x);
          vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, vec2(1e-6));
          // Cells smaller than some pixels would flicker.
          vec2 strength = (1.0 - smoothstep(0.4, 1.4, near)) * (1.0 - smoothstep(0.1, 0.4, width));
          return max(strength.x, strength.y);
        }`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, line(onPlane / cell) * 0.8);
        diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, distance(onPlane, middle) / reach);`,
      );
  }
}
