import type { ApiAnswer, ApiRequest, PageAnswer, PageRequest, PageRoute } from '@portolan/plugin-api';
import type { ComponentChildren } from 'preact';
import type { ConsoleParts } from './console-parts.ts';
import { document } from './document.ts';
import type { NavigationItem } from './navigation.ts';
import type { Visitor } from '../login/visitor.ts';

/** A request for a page, with who sends it. */
export interface View {
  readonly parts: ConsoleParts;
  readonly request: PageRequest;
  readonly visitor: Visitor;
  /** Asks the API as the visitor. */
  readonly api: (request: ApiRequest) => Promise<ApiAnswer>;
  /** Address of a path of this server, for links and forms. */
  readonly at: (path: string) => string;
}

/** What stands on a page. */
export interface PageContent {
  /** Left out: 200. */
  readonly status?: number;
  /** Of the page, for the title of the window. */
  readonly title: string;
  readonly body: ComponentChildren;
  /** The way to it from the first page: paths and what they are called. */
  readonly trail?: readonly NavigationItem[];
  readonly headers?: PageAnswer['headers'];
}

/** Makes a route whose page stands in the frame of the console. What `make` answers beside content is sent as it is. */
export function page(
  parts: ConsoleParts,
  route: Omit<PageRoute, 'handle' | 'method'> & { readonly method?: PageRoute['method'] },
  make: (view: View) => Promise<PageContent | PageAnswer>,
): PageRoute {
  return {
    method: 'GET',
    ...route,
    handle: async (request) => {
      const view = await viewOf(parts, request);
      const made = await make(view);
      return 'title' in made ? await answerWith(view, made) : made;
    },
  };
}

async function viewOf(parts: ConsoleParts, request: PageRequest): Promise<View> {
  const visitor = await parts.visitor(request);
  return {
    parts,
    request,
    visitor,
    api: async (asked) => await request.api(asked, visitor.authorization),
    at: (path) => `${request.prefix}${path}`,
  };
}

/** The whole page, as it is sent. */
export async function answerWith(
  view: View,
  { status = 200, headers = {}, ...content }: PageContent,
): Promise<PageAnswer> {
  const navigation: readonly NavigationItem[] = (
    await Promise.all(view.parts.navigation.map((items) => items(view)))
  ).flat();
  return { status, headers, body: document(view, content, navigation) };
}
