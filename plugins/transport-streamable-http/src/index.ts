import type { Plugin } from '@portolan/plugin-api';
import { streamableHttpTransport } from './streamable-http-kind.ts';

export { streamableHttpTransport } from './streamable-http-kind.ts';

export default {
  name: '@portolan/transport-streamable-http',
  apiVersion: 2,
  contributes: { transports: [streamableHttpTransport] },
} satisfies Plugin;
