import type { Plugin } from '@portolan/plugin-api';
import { stdioTransport } from './stdio-kind.ts';

export { openStdioConnection } from './stdio-connection.ts';
export { stdioTransport } from './stdio-kind.ts';

export default {
  name: '@portolan/transport-stdio',
  apiVersion: 2,
  contributes: { transports: [stdioTransport] },
} satisfies Plugin;
