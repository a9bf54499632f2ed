import type {
  ApiResponse,
  ApiRequest,
  PageResponse,
  PageRequest,
  PagesContext,
  PluginContext,
} from '@portolan/plugin-api';
import type { ComponentChildren } from 'preact';
import type { OpenRequests } from '../responses/open-requests.ts';
import type { Visitor } from '../login/visitor.ts';
import type { WebConsoleConfig } from '../web-console-config.ts';
import type { ConsoleAssets } from './console-assets.ts';

export interface ConsoleParts {
  readonly config: WebConsoleConfig;
  readonly context: PluginContext;
  readonly hostContext: PagesContext;
  readonly assets: ConsoleAssets;
  readonly requests: OpenRequests;
  /** Links at the top of every page. */
  readonly navigation: readonly Navigation[];
  readonly visitor: (request: PageRequest) => Promise<Visitor>;
}

export interface NavigationItem {
  readonly path: string;
  readonly text: string;
}

/** Returns links for the top of a page; called for each page. */
export type Navigation = (view: View) => Promise<readonly NavigationItem[]>;

export interface View {
  readonly parts: ConsoleParts;
  readonly request: PageRequest;
  readonly visitor: Visitor;
  readonly api: (request: ApiRequest) => Promise<ApiResponse>;
  /** Returns the address of a path of this server, for links and forms. */
  readonly at: (path: string) => string;
}

export interface PageContent {
  /** HTTP status; default: 200. */
  readonly status?: number;
  readonly title: string;
  readonly body: ComponentChildren;
  /** Breadcrumbs from the first page. */
  readonly trail?: readonly NavigationItem[];
  readonly headers?: PageResponse['headers'];
}
