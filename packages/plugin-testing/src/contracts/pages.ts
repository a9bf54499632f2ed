import { setImmediate } from 'node:timers/promises';
import type {
  ApiResponse,
  ApiRequest,
  OpenPages,
  PageResponse,
  PageRequest,
  PageRoute,
  PagesKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { createTestContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function pagesContract(options: PagesUnderTest): void {
  registerContract(`pages contract: ${options.name}`, pagesCases(options));
}

export interface PagesUnderTest {
  readonly name: string;
  readonly kind: PagesKind;
  /** Valid config blocks with their defaults. The pages are created with the first. */
  readonly blocks: readonly [unknown, ...unknown[]];
  /** Returns the response of the registry's API in normal operation. Default: 404. */
  readonly api?: (request: ApiRequest, authorization: string | undefined) => ApiResponse;
}

interface PagesInUse {
  readonly open: OpenPages;
  readonly requests: readonly ApiRequest[];
  /** Requests a page with `text` as the value of every parameter. */
  readonly ask: (route: PageRoute, text: string, overrides?: Partial<PageRequest>) => Promise<PageResponse>;
}

const NOT_FOUND: ApiResponse = {
  status: 404,
  headers: {},
  json: { error: 'Not found.', code: 'ERR_ROUTE_NOT_FOUND' },
};

async function usePages(
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
  const apiRequests: ApiRequest[] = [];
  try {
    await work({
      open,
      requests: apiRequests,
      ask: async (route, text, overrides) =>
        await route.handle({
          ...requestFor(route, text),
          api: (request, authorization) => {
            apiRequests.push(request);
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

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '..',
  'a/../../v1/me',
  'a?b=c#d',
  'a b\n',
];

const REFUSALS: readonly ApiResponse[] = [401, 403, 404, 500, 503].map((status) => ({
  status,
  headers: { 'content-type': 'application/json' },
  json: { error: 'Refused.', requestId: 'test' },
}));

export function pagesCases(options: PagesUnderTest): readonly ContractCase[] {
  const use = async (work: (pages: PagesInUse) => Promise<void>) => await usePages(options, work);
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'has unique names, and valid routes that are unique per method',
      run: () =>
        use(async ({ open: { routes } }) => {
          expect(routes).to.not.deep.equal([]);
          for (const { path, summary } of routes) {
            expect(path).to.match(/^\/(?:(?:[\w.~-]+|\{\w+\})(?:\/(?:[\w.~-]+|\{\w+\}))*)?$/);
            expect(summary, path).to.match(/^[A-Z].*\.$/s);
          }
          expectOnce(routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`));
          expectOnce(routes.map(({ name }) => name));
        }),
    },
    {
      title: 'has at most one page for unknown addresses, which responds with 404',
      run: () =>
        use(async ({ open: { routes }, ask }) => {
          const shown = routes.filter(({ isForUnknown }) => isForUnknown === true);
          expect(shown.length).to.be.at.most(1);
          for (const route of shown) {
            expect([route.method, route.path.includes('{')]).to.deep.equal(['GET', false]);
            expect((await ask(route, 'acme')).status).to.equal(404);
          }
        }),
    },
    {
      title:
        'keeps to the content security policy: neither script nor style in the text, nothing of other hosts',
      run: () => use(async (pages) => await eachPage(pages, 'acme', expectProtected)),
    },
    {
      title: 'starts its own addresses with the prefix of the server',
      run: () =>
        use(
          async (pages) =>
            await eachPage(pages, 'acme', (text, route) => {
              const own = [...text.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(
                ([, address]) => address,
              );
              for (const address of own) expect(address, route.name).to.match(/^\/tools(?:\/|$)/);
            }),
        ),
    },
    {
      title: 'escapes input from its address, in its text and in requests to the API',
      run: () =>
        use(async (pages) => {
          for (const hostile of HOSTILE) {
            await eachPage(pages, hostile, (text, route) => {
              expectProtected(text, route);
              if (hostile.includes('<')) expect(text, route.name).to.not.include(hostile);
            });
          }
          for (const { path } of pages.requests) {
            expect(path).to.match(/^\/[^?#\s]*$/);
            expect(path).to.not.include('/v1/me');
          }
        }),
    },
    {
      title: 'responds when the API refuses or fails',
      run: async () => {
        for (const refusal of REFUSALS) {
          await usePages({ ...options, api: () => refusal }, async (pages) => {
            await eachPage(pages, 'acme', expectProtected);
          });
        }
      },
    },
    {
      title: 'can be closed twice',
      run: () =>
        use(async ({ open }) => {
          await open.close?.();
          await open.close?.();
        }),
    },
  ];
}

async function eachPage(
  { open, ask }: PagesInUse,
  text: string,
  look: (html: string, route: PageRoute) => void,
): Promise<void> {
  for (const route of open.routes.filter(({ method }) => method === 'GET')) {
    const response = await ask(route, text);
    expect(response.status, route.name).to.be.within(200, 599);
    if (isHtml(response)) look(String(response.body), route);
  }
}

/** Without a Content-Type, the server sends HTML. */
function isHtml({ headers = {}, body }: PageResponse): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return body !== undefined && (type === undefined || String(type).startsWith('text/html'));
}

function expectProtected(html: string, { name }: PageRoute): void {
  const tags = html.match(/<[a-z][^>]*>/gi) ?? [];
  for (const tag of tags) {
    expect(tag, name).to.not.match(/\son[a-z]+\s*=/i);
    expect(tag, name).to.not.match(/\sstyle\s*=/i);
    expect(tag, name).to.not.match(
      /^<(?:script|img|link|iframe|object|embed|form)\b[^>]*\s(?:src|href|action|data)\s*=\s*["']?(?:[a-z]+:)?\/\//i,
    );
    expect(tag, name).to.not.match(/\s(?:href|src|action)\s*=\s*["']?\s*(?:javascript|vbscript|data:text)/i);
  }
  expect(html, name).to.not.match(/<style\b/i);
  expect(html, name).to.not.match(/<script\b(?![^>]*\ssrc=)[^>]*>\s*\S/i);
}

function expectOnce(texts: readonly string[]): void {
  expect(texts).to.deep.equal([...new Set(texts)]);
}
