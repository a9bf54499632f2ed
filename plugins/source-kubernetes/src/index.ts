import type { Plugin } from '@portolan/plugin-api';
import { kubernetesSource } from './kubernetes-source.ts';

export { kubernetesConfig } from './kubernetes-config.ts';
export type { KubernetesConfig } from './kubernetes-config.ts';
export { kubernetesSource } from './kubernetes-source.ts';

export default {
  name: '@portolan/source-kubernetes',
  apiVersion: 2,
  contributes: { sources: [kubernetesSource] },
} satisfies Plugin;
