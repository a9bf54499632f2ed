import type { Plugin } from '@portolan/plugin-api';
import { toolFilter } from './tool-filter.ts';

export { toolFilter } from './tool-filter.ts';
export { toolFilterConfig } from './tool-filter-config.ts';
export type { ToolFilterConfig } from './tool-filter-config.ts';

export default {
  name: '@portolan/proxy-tool-filter',
  apiVersion: 2,
  contributes: { proxyMiddleware: [toolFilter] },
} satisfies Plugin;
