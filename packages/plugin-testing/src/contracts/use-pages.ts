import { setImmediate } from 'node:timers/promises';
import type {
  ApiAnswer,
  ApiRequest,
  OpenPages,
  PageAnswer,
  PageRequest,
  PageRoute,
} from '@portolan/plugin-api';
import { createTestContext } from '../test-context.ts';
import type { PagesUnderTest } from './pages-under-test.ts';

/** Pages that are open, and what they have asked the API for. */
export interface PagesInUse {
  readonly open: OpenPages;
  readonly asked: readonly ApiRequest[];
  /** Sends a page a request whose parameters all have this text. */
  readonly ask: (route: PageRoute, text: string, overrides?: Partial<PageRequest>) => Promise<PageAnswer>;
}

const NOT_FOUND: ApiAnswer = {
  status: 404,
  headers: {},
  json: { error: 'Not found.', code: 'ERR_ROUTE_NOT_FOUND' },
};

/** Opens pages for a test and closes them after it. */
export async function usePages(
  { kind, blocks, api = () => NOT_FOUND }: PagesUnderTest,
  work: (pages: PagesInUse) => Promise<void>,
): Promise<void> {
  const instance = await kind.create(blocks[0], createTestContext());
  const open = await instance.open({
    version: '0.0.0-test',
    publicUrl: 'https://acme.example/tools',
    adminApi: true,
    logins: () => [],
    sessions: undefined,
    describeDemands: undefined,
  });
  const asked: ApiRequest[] = [];
  try {
    await work({
      open,
      asked,
      ask: async (route, text, overrides) =>
        await route.handle({
          ...requestFor(route, text),
          api: (request, authorization) => {
            asked.push(request);
            return Promise.resolve(api(request, authorization));
          },
          ...overrides,
        }),
    });
  } finally {
    await open.close?.();
  }
}

function requestFor({ method, path }: PageRoute, text: string): Omit<PageRequest, 'api'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    method,
    base: 'https://acme.example/tools',
    prefix: '/tools',
    path: path.replace(/\{\w+\}/g, encodeURIComponent(text)),
    parameters: Object.fromEntries(names.map((name) => [name, text])),
    query: new URLSearchParams({ q: text }),
    headers: { host: 'acme.example', accept: 'text/html' },
    cookies: new Map(),
    body: '',
    requestId: 'test',
    signal: undefined,
    turn: async () => await setImmediate(),
  };
}
