import type { Plugin } from '@portolan/plugin-api';
import { sseTransport } from './sse-kind.ts';

export { sseTransport } from './sse-kind.ts';

export default {
  name: '@portolan/transport-sse',
  apiVersion: 2,
  contributes: { transports: [sseTransport] },
} satisfies Plugin;
