import type { Plugin } from '@portolan/plugin-api';
import { dockerRuntime } from './docker-kind.ts';

export { dockerConfig } from './docker-config.ts';
export type { DockerConfig } from './docker-config.ts';
export { dockerRuntime } from './docker-kind.ts';

export default {
  name: '@portolan/runtime-docker',
  apiVersion: 2,
  contributes: { runtimes: [dockerRuntime] },
} satisfies Plugin;
