import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docstringAbove, parseTypeScript } from '../parse-typescript.ts';

const HOOKS = 'packages/plugin-api/src/hooks.ts';

const HEAD = `# Hooks

A plugin taps hooks in \`apply(context)\`, through \`context.hooks\`. Taps run in the order of their \`stage\`, lower ones
first, then in the order of \`plugins\` in the configuration. The types are those of
[tapable](https://github.com/webpack/tapable); the whole contract is in [plugin-api.d.ts](plugin-api.d.ts).

A hook that changes a value fails closed: when a tap throws, or answers with something it may not, what was asked for is
refused and the error ERR_PLUGIN_HOOK names the plugin. A hook that only tells what has happened changes nothing: when a
tap throws, that is logged.

What the program itself does in a hook is a tap as well, of a built-in plugin at a stage of its own (\`BUILT_IN_TAPS\` of
the contract): a tap with a lower stage comes before it, one with a higher stage after it. Taps that name no stage have 0.

"Run by" names the packages of this version that run a hook; one that nothing runs yet is part of the contract already.

`;

/** Returns the reference page of all hooks from the interface in the contract. */
export async function renderHooks(root: string): Promise<string> {
  const text = await readFile(path.join(root, HOOKS), 'utf8');
  const hooks = readHooks(text);
  const runners = await findRunners(root);
  const builtIn = readBuiltInTaps(text);
  const rows = hooks.map(({ name, sort, returns }) => {
    const runBy = [...(runners.get(name) ?? [])].map((folder) => `\`${folder}\``).join(', ') || 'nothing yet';
    return `| [\`${name}\`](#${name.toLowerCase()}) | ${sort} | ${returns} | ${fate(sort)} | ${tapOf(builtIn.get(name))} | ${runBy} |`;
  });
  const table = [
    '| Hook | tapable class | A tap returns | When a tap throws | Built-in tap | Run by |',
    '|---|---|---|---|---|---|',
    ...rows,
  ];
  const sections = hooks.map(({ name, about, parameters }) =>
    [
      `## ${name}`,
      ...(about === undefined ? [] : [about]),
      `\`\`\`ts\n(${parameters}) => …\n\`\`\``,
      ...orderOf(builtIn.get(name)),
    ].join('\n\n'),
  );
  return `${HEAD}${table.join('\n')}\n\n${sections.join('\n\n')}\n`;
}

interface HookDescription {
  readonly name: string;
  readonly sort: string;
  readonly about: string | undefined;
  /** Source text: `roles: readonly Role[], identity: Identity`. */
  readonly parameters: string;
  readonly returns: string;
}

function readHooks(text: string): readonly HookDescription[] {
  const module = parseTypeScript(HOOKS, text);
  const hooks = module.nodes.find(
    (node) => node.type === 'TSInterfaceDeclaration' && node.id.name === 'Hooks',
  );
  if (hooks?.type !== 'TSInterfaceDeclaration') throw new TypeError(`${HOOKS} declares no interface Hooks`);
  return hooks.body.body.map(({ start, end }) => {
    const source = text.slice(start ?? 0, end ?? 0);
    const [, name, sort, parameters] = /^readonly (\w+): (\w+)<\s*\[([^]*?)\],?\s*>;$/.exec(source) ?? [];
    if (name === undefined || sort === undefined || parameters === undefined) {
      throw new TypeError(`${HOOKS}: expected "readonly name: Hook<[arguments]>;", found ${source}`);
    }
    const [first] = /^\w+/.exec(parameters.trim()) ?? [];
    return {
      name,
      sort,
      about: docstringAbove(module, text, start ?? 0),
      parameters: parameters.trim(),
      returns: sort.includes('Waterfall') ? `\`${first}\`` : 'nothing',
    };
  });
}

interface BuiltInDescription {
  readonly plugin: string;
  readonly stage: number;
  readonly about: string;
}

const TAP = /\/\*\*([^]*?)\*\/\s+(\w+): \{ plugin: '([^']+)', stage: (-?\d+) \}/g;

/** Parses the table `BUILT_IN_TAPS`, by hook. Throws TypeError for an unexpected form. */
function readBuiltInTaps(text: string): ReadonlyMap<string, BuiltInDescription> {
  const [, table] = /^export const BUILT_IN_TAPS = \{\n([^]*?)^\} as const/m.exec(text) ?? [];
  const found = [...(table ?? '').matchAll(TAP)].map(([, about = '', hook = '', plugin = '', stage = '']) => {
    const words = about.replaceAll(/^\s*\*? ?/gm, '').trim();
    return [hook, { plugin, stage: Number(stage), about: words }] as const;
  });
  if (found.length === 0 || found.length !== (table ?? '').split('plugin:').length - 1) {
    throw new TypeError(
      `${HOOKS}: BUILT_IN_TAPS is not "/** … */ hook: { plugin: 'name', stage: number }" throughout`,
    );
  }
  return new Map(found);
}

function tapOf(tap: BuiltInDescription | undefined): string {
  return tap === undefined ? 'none' : `\`${tap.plugin}\` (stage ${tap.stage})`;
}

/** Returns what runs in the hook, in order. */
function orderOf(tap: BuiltInDescription | undefined): readonly string[] {
  if (tap === undefined) return [];
  const { plugin, stage, about } = tap;
  const own = `\`${plugin}\`, stage ${stage}: ${about.replaceAll(/\s*\n\s*/g, ' ')}`;
  const plain = 'taps of plugins that name no stage (0)';
  const between = stage < 0 ? [own, plain] : [plain, own];
  const steps = [
    `taps of plugins with a stage below ${Math.min(stage, 0)}`,
    ...between,
    `taps of plugins with a stage above ${Math.max(stage, 0)}`,
  ];
  return ['In order:', steps.map((step, at) => `${at + 1}. ${step}`).join('\n')];
}

/** Returns the packages that call each hook on the kernel's hooks. */
async function findRunners(root: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const runners = new Map<string, Set<string>>();
  const files: string[] = [];
  for await (const file of glob('packages/*/src/**/*.ts', { cwd: root })) files.push(file);
  for (const file of files.toSorted()) {
    const [, folder = ''] = file.split(path.sep);
    if (['kernel', 'plugin-api', 'plugin-testing'].includes(folder)) continue;
    for (const [, name = ''] of (await readFile(path.join(root, file), 'utf8')).matchAll(
      /\bhooks\.(\w+)\(/g,
    )) {
      runners.set(name, (runners.get(name) ?? new Set()).add(`packages/${folder}`));
    }
  }
  return runners;
}

function fate(sort: string): string {
  return sort.includes('Waterfall') ? 'refused' : 'logged';
}
