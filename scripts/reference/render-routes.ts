import type { ServerConfig } from '@portolan/kernel';
import { createTestContext } from '@portolan/plugin-testing';
import { webConsole } from '@portolan/web-console';
import {
  internalSteps,
  publicSteps,
  type RegistryServerOptions,
} from '../../packages/registry-server/src/app.ts';
import type { RouteParts } from '../../packages/registry-server/src/routes/route-parts.ts';
import type { Route } from '../../packages/registry-server/src/request/route.ts';
import { internalRoutes, publicRoutes } from '../../packages/registry-server/src/routes.ts';
import { type Exported, readExports } from './read-exports.ts';

const SOURCES = 'packages/registry-server/src';

const HEAD = `# Routes of the registry server

The HTTP surface on one page: which steps a request passes, in order, and who may send it. Where a refusal comes from is found
by reading down: a step refuses with the errors its text names, and [errors.md](errors.md) has the status of each. The routes are
made in [\`routes.ts\`](../../packages/registry-server/src/routes.ts), the steps before them in
[\`app.ts\`](../../packages/registry-server/src/app.ts); middleware of plugins stands before or after one of those by its name.

## Every request to the public listener
`;

const ROUTES = `
## Routes

Each passes the steps that are marked, from left to right, then its action, which answers. *Without a token* is about a server
that asks for tokens: one in anonymous mode asks nobody for a token or a role. What no route takes needs a token, unless it is a
read below a public registry. \`GET\` takes \`HEAD\`, too, and a path may end
with a slash.
`;

const ACTIONS = `
## Actions

The last step of a route. Whether the caller's claims admit what is asked for is decided there, by the function of the registry
that it calls, in the transaction that reads or writes.
`;

const PAGES = `
## Pages

Of [web-console](../guides/registry/web-console.md), where the configuration has it. They are reached without a token, and ask the routes above for what they
show, as whoever looks. Before the step that answers, \`showPage\`, \`readForm\` reads what a form has sent.

| Route | Shows or does |
|---|---|
`;

const INTERNAL = `
## The internal listener

For the operator alone: no token, no log of requests, no audit.
`;

/**
 * Returns the reference page of all server endpoints with their steps and roles, from the route lists of the
 * server.
 */
export async function renderRoutes(root: string): Promise<string> {
  const exported = await readExports(
    root,
    ['steps', 'actions', 'routes'].map((wing) => `${SOURCES}/${wing}/**/*.ts`),
  );
  const outside = publicRoutes(PARTS);
  const inside = internalRoutes(PARTS);
  const columns = inOrder(outside.map(stepsOf));
  return [
    HEAD,
    numbered(publicSteps(PARTS, PARTS.metrics, outside), exported),
    ROUTES,
    matrix(outside, columns, exported),
    '\n### Their steps\n',
    listed(columns, exported),
    ACTIONS,
    listed([...new Set([...outside, ...inside].map(actionOf))], exported),
    PAGES + (await pageRows()),
    INTERNAL,
    `In order: ${internalSteps(PARTS, inside)
      .map(({ name }) => `\`${name}\``)
      .join(', ')}.\n`,
    ...inside.map((route) => `- \`${route.method} ${route.path}\`: ${linked(actionOf(route), exported)}`),
    '',
  ].join('\n');
}

/** Returns the rows for pages of the built-in kind, without static assets. */
async function pageRows(): Promise<string> {
  const instance = await webConsole.create({ title: 'Portolan' }, createTestContext());
  const open = await instance.open({
    version: '',
    publicUrl: undefined,
    adminApi: true,
    logins: () => [],
    sessions: undefined,
  });
  const routes = open.routes.filter(({ path }) => !path.startsWith('/assets/'));
  await open.close?.();
  return routes
    .toSorted(
      (left, right) =>
        left.path.localeCompare(right.path, 'en') || left.method.localeCompare(right.method, 'en'),
    )
    .map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary} |`)
    .join('\n');
}

/** Returns the step names before the actions, in an order that is consistent with all lists. */
export function inOrder(lists: readonly (readonly string[])[]): readonly string[] {
  const left = new Set(lists.flat());
  const ordered: string[] = [];
  while (left.size > 0) {
    const waiting = lists.map((list) => list.filter((name) => left.has(name)));
    const next = [...left].find((name) => waiting.every((list) => list.indexOf(name) <= 0));
    if (next === undefined) throw new TypeError(`routes disagree about the order of ${[...left].join(', ')}`);
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

/** Returns the step names of a route without the action. */
function stepsOf({ steps }: Route): readonly string[] {
  return steps
    .filter(({ action }, at) => action !== undefined || at < steps.length - 1)
    .map(({ name }) => name);
}

function actionOf({ name, steps }: Route): string {
  const last = steps.at(-1);
  if (last === undefined) throw new TypeError(`${name} has no steps`);
  return last.action ?? last.name;
}

function matrix(
  routes: readonly Route[],
  columns: readonly string[],
  exported: ReadonlyMap<string, Exported>,
): string {
  const heads = ['Route', 'Without a token', 'Role', ...columns.map((name) => `\`${name}\``), 'Action'];
  const rows = routes.map((route) => {
    const own = new Set(stepsOf(route));
    const marks = columns.map((name) => (own.has(name) ? '●' : ''));
    const cells = [
      `\`${route.method} ${route.path}\``,
      withoutToken(route),
      route.role === undefined ? '' : `\`${route.role}\``,
      ...marks,
      linked(actionOf(route), exported),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const rule = `|${heads.map((_, at) => (at > 2 && at < heads.length - 1 ? ':-:' : '---')).join('|')}|`;
  return [`| ${heads.join(' | ')} |`, rule, ...rows].join('\n');
}

function withoutToken({ open, publicWith }: Route): string {
  if (open === true) return 'always';
  if (publicWith === undefined) return 'never';
  return publicWith === 'its registry' ? 'while its registry is public' : 'while a registry is public';
}

function numbered(
  steps: readonly { readonly name: string }[],
  exported: ReadonlyMap<string, Exported>,
): string {
  return steps.map(({ name }, at) => `${at + 1}. ${described(name, exported)}`).join('\n');
}

function listed(names: readonly string[], exported: ReadonlyMap<string, Exported>): string {
  return names.map((name) => `- ${described(name, exported)}`).join('\n');
}

function described(name: string, exported: ReadonlyMap<string, Exported>): string {
  const { about } = exportOf(name, exported);
  return about === undefined ? linked(name, exported) : `${linked(name, exported)}: ${about}`;
}

function linked(name: string, exported: ReadonlyMap<string, Exported>): string {
  return `[\`${name}\`](../../${exportOf(name, exported).file})`;
}

/** Returns where a step is defined. Throws TypeError when no module exports its name. */
function exportOf(name: string, exported: ReadonlyMap<string, Exported>): Exported {
  // `route` is the name for plugins of the step that runs the route.
  const found = exported.get(name === 'route' ? 'runRoute' : name);
  if (found === undefined) throw new TypeError(`no file of ${SOURCES} exports the step ${name}`);
  return found;
}

const config: ServerConfig = {
  address: '127.0.0.1:0',
  internalAddress: 'off',
  publicUrl: 'https://registry.example',
  trustedProxies: ['127.0.0.1'],
  adminApi: true,
  compress: true,
  pageCacheBytes: 0,
  requestTimeout: '1s',
  shutdownTimeout: '1s',
  cors: { enabled: true, allowedOrigins: ['*'] },
};

/**
 * Dependencies of a server that never starts. SAFETY: creating its steps reads only the settings and the
 * version.
 */
const PARTS = { config, version: { version: '' }, listensOnLoopback: {} } as unknown as RouteParts &
  RegistryServerOptions;
