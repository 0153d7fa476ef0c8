"""Gymnasium environments: a registered one, a batch of it, and one over a scene of one's own."""

import gymnasium
import numpy as np

import stiction.gym

env = gymnasium.make("stiction/PendulumSwingUp-v0")
observation, info = env.reset(seed=1)
total = 0.0
for step in range(500):
    # Swinging in step with the motion pumps energy in.
    action = np.array([1.0 if observation[2] > 0 else -1.0])
    observation, reward, terminated, truncated, info = env.step(action)
    total += float(reward)
print(f"swing-up: return {total:.1f}, last height {-observation[0]:.2f}")

many = gymnasium.make_vec("stiction/PendulumSwingUp-v0", num_envs=4)
observations, infos = many.reset(seed=1)
print("four pendulums:", observations.shape)

# Any scene: push a stack of boxes and look at the top one.
task = stiction.gym.Task(
    observe=lambda qpos, qvel: qpos[..., -7:-4],
    reward=lambda qpos, qvel, action: qpos[..., -5],
    terminated=lambda qpos, qvel: qpos[..., -5] < 0.3,
)
own = stiction.gym.SceneEnv("scenes/box_stack.xml", task, frame_skip=10)
observation, info = own.reset(seed=0)
print("top box at", observation)
