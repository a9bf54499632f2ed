import type { Plugin } from '@portolan/plugin-api';
import { managedSource } from './managed-source.ts';

export { managedSource } from './managed-source.ts';

export default {
  name: '@portolan/source-managed',
  apiVersion: 2,
  contributes: { sources: [managedSource] },
} satisfies Plugin;
