import { readFile } from 'node:fs/promises';
import type { PluginKind } from './plugin-kinds.ts';

/** Contract version that the templates are written for: `API_VERSION` of `@portolan/plugin-api`. */
export const PLUGIN_API_VERSION = 2;

export interface PluginPlan {
  readonly kind: PluginKind;
  /** Name of the kind or command: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** npm name of the package. */
  readonly packageName: string;
}

/** Returns the files of a plugin by path: manifest, settings, sources and a test. */
export async function renderPlugin(plan: PluginPlan): Promise<ReadonlyMap<string, string>> {
  const { kind } = plan;
  const values = valuesOf(plan);
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
  const template = async (file: string): Promise<string> =>
    fill(await readFile(new URL(`templates/${kind.name}/${file}.template`, import.meta.url), 'utf8'));
  const sources: [string, string][] = [
    ['src/index.ts', fill(indexOf(kind))],
    [sourcePathOf(plan), await template('kind.ts')],
  ];
  for (const file of kind.moreFiles ?? []) sources.push([`src/${file}`, await template(file)]);
  return new Map([
    ['package.json', toJson(manifestOf(plan, await readRange()))],
    ['tsconfig.json', toJson(COMPILER)],
    ['.gitignore', 'node_modules/\ndist/\n*.tgz\n'],
    ['README.md', fill(readmeOf(plan))],
    ...sources,
    ['test/contract.test.ts', await template('contract.test.ts')],
  ]);
}

/** Returns the path of the file to edit: the kind, the tap or the command. */
export function sourcePathOf({ kind, name }: PluginPlan): string {
  return kind.name === 'command' ? `src/commands/${name}.ts` : `src/${kind.name}.ts`;
}

function valuesOf({ kind, name, packageName }: PluginPlan): Readonly<Record<string, string>> {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const pascal = words.join('');
  return {
    name,
    Name: pascal,
    CODE: name.replaceAll('-', '_').toUpperCase(),
    export: pascal.charAt(0).toLowerCase() + pascal.slice(1) + kind.suffix,
    file: kind.name === 'command' ? name : kind.name,
    list: kind.list ?? '',
    packageName,
    apiVersion: String(PLUGIN_API_VERSION),
  };
}

/** Returns the version range of `@portolan/*`, which all have the version of this package. */
async function readRange(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return `^${String(Object(manifest).version)}`;
}

function manifestOf({ kind, packageName }: PluginPlan, range: string): object {
  return {
    name: packageName,
    version: '0.1.0',
    type: 'module',
    keywords: ['portolan-plugin'],
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist'],
    portolan: { plugin: '.', apiVersion: PLUGIN_API_VERSION },
    ...(kind.name === 'command' ? { oclif: { commands: './dist/commands' } } : {}),
    scripts: { build: 'tsc', test: 'mocha --timeout 20000 test/*.test.ts', prepack: 'npm run build' },
    peerDependencies: { '@portolan/plugin-api': range },
    devDependencies: {
      '@portolan/plugin-api': range,
      '@portolan/plugin-testing': range,
      '@types/koa': '^3.0.0',
      '@types/mocha': '^10.0.0',
      '@types/node': '^24.0.0',
      ...kind.needs,
      mocha: '^11.0.0',
      typescript: '^7.0.0',
    },
  };
}

/** Settings of the compiler. Imports end in `.ts`, so that Node.js runs the sources in tests. */
const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'dist',
    types: ['node'],
  },
  include: ['src'],
};

function indexOf({ name, list }: PluginKind): string {
  const plugin = "export default {\n  name: '{{packageName}}',\n  apiVersion: {{apiVersion}},\n";
  const type = "import type { Plugin } from '@portolan/plugin-api';\n";
  const tail = '} satisfies Plugin;\n';
  if (name === 'command') return `${type}\n${plugin}${tail}`;
  const own = "import { {{export}} } from './{{file}}.ts';\n";
  const part = list === undefined ? '  apply: {{export}},\n' : '  contributes: { {{list}}: [{{export}}] },\n';
  return `${type}${own}\n${plugin}${part}${tail}`;
}

function readmeOf(plan: PluginPlan): string {
  const { kind } = plan;
  const article = /^[aeiou]/.test(kind.name) ? 'An' : 'A';
  return `# {{packageName}}

${article} ${kind.name} for Portolan: ${kind.summary}.

| File | Contains |
|---|---|
| \`src/index.ts\` | the plugin object |
| \`${sourcePathOf(plan)}\` | what you change |
| \`test/contract.test.ts\` | the test |

## Test

\`\`\`sh
npm install
npm test
\`\`\`

Until \`@portolan/*\` is published, pack the packages in a checkout of Portolan (\`npm ci\`, \`npm run build\`,
\`npm run pack "$PACKED"\`), and install them in place of \`npm install\`:

\`\`\`sh
${INSTALL_PACKED}
\`\`\`

## Install

\`\`\`sh
npm pack
portolan plugins install ./${tarballOf(plan)}
\`\`\`

${kind.name === 'command' ? RUN : CONFIGURE + kind.use}\`\`\`
`;
}

const INSTALL_PACKED = `npm install --save-dev ${['plugin-api', 'outbound', 'kernel', 'plugin-testing']
  .map((name) => `"$PACKED"/portolan-${name}-*.tgz`)
  .join(' ')}`;
const RUN = 'Then run the command:\n\n```sh\nportolan {{name}} Ada\n';
const CONFIGURE =
  'Then name the plugin in `portolan.config.yaml`:\n\n```yaml\nplugins:\n  - "{{packageName}}"\n';

/** Returns the name of the file that `npm pack` writes. */
export function tarballOf({ packageName }: Pick<PluginPlan, 'packageName'>): string {
  return `${packageName.replace('@', '').replace('/', '-')}-0.1.0.tgz`;
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
