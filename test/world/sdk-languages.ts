import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { findPython } from './host-programs.ts';
import { runProgram } from './run-program.ts';
import type { SdkLanguage, WorldSdk } from './sdks.ts';
import type { TryContext } from './try-package.ts';

/** Image of a server: what it is made from, and the lines of its Dockerfile after the programs are copied to `/app`. */
interface ServerImage {
  readonly base: string;
  readonly lines: string;
}

/** Client of the folder of an SDK: of one server, or of a virtual server. Only SDKs of Node.js, Python and Go have both. */
type ClientProgram = 'client' | 'members';

/** How the programs of one language are prepared and started. */
interface LanguageTools {
  /** Index that has the packages; `run.ts` looks whether it responds. */
  readonly index: 'npx' | 'uvx' | 'go' | 'cargo' | 'maven';
  /** Installs or compiles what the client needs. Returns the version of the SDK. */
  prepareClient(sdk: WorldSdk, folder: string, context: TryContext, program?: ClientProgram): Promise<string>;
  /** Returns the words that start the client in its folder, without its arguments. */
  clientWords(sdk: WorldSdk, folder: string, context: TryContext, program?: ClientProgram): readonly string[];
  /** Compiles the server where it has to be, and describes its image. */
  describeServer(sdk: WorldSdk, folder: string, context: TryContext): Promise<ServerImage>;
}

const DEBIAN = 'portolan-test/debian';
/** Compiled code of Rust, which takes minutes. Later runs reuse it. */
const CARGO_FOLDER = path.resolve(import.meta.dirname, '../../node_modules/.cache/portolan-tests/cargo');
const CARGO_ENVIRONMENT = { ...process.env, CARGO_TARGET_DIR: CARGO_FOLDER };
const COMPILED: ServerImage = { base: DEBIAN, lines: 'ENTRYPOINT ["/app/program"]' };

const node: LanguageTools = {
  index: 'npx',
  prepareClient: async (sdk, folder) => {
    await runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env: process.env });
    const file = path.join(folder, 'node_modules', sdk.package, 'package.json');
    // SAFETY: npm installs no package without a version.
    return (JSON.parse(await readFile(file, 'utf8')) as { readonly version: string }).version;
  },
  clientWords: (_sdk, _folder, _context, program = 'client') => [process.execPath, `${program}.js`],
  describeServer: async (_sdk, _folder, { images }) => ({
    base: await images.provideFor({ target: 'npx://server' }),
    lines: 'WORKDIR /app\nRUN npm install --no-audit --no-fund\nENTRYPOINT ["node", "server.js"]',
  }),
};

const python: LanguageTools = {
  index: 'uvx',
  prepareClient: async (sdk, folder, { programs }) => {
    const name = /^[\w-]+/.exec(sdk.package)?.[0] ?? '';
    const code = `import importlib.metadata as m; print(m.version("${name}"))`;
    const [command, ...args] = [...pythonWords(sdk, programs.uv), '-c', code];
    return (await runProgram(command, args, { cwd: folder, env: process.env })).trim();
  },
  clientWords: (sdk, _folder, { programs }, program = 'client') => [
    ...pythonWords(sdk, programs.uv),
    `world_${program}.py`,
  ],
  describeServer: async (sdk, _folder, { images }) => ({
    base: await images.provideFor({ target: 'uvx://server' }),
    lines: `RUN python3 -m venv /opt/tool && /opt/tool/bin/pip install -q "${sdk.package}"\nENTRYPOINT ["/opt/tool/bin/python", "/app/world_server.py"]`,
  }),
};

const go: LanguageTools = {
  index: 'go',
  prepareClient: async (sdk, folder, _context, program = 'client') => {
    await buildGo(sdk, folder, `./${program}`);
    const words = ['list', '-m', '-f', '{{.Version}}', sdk.package];
    return (await runProgram('go', words, { cwd: folder, env: process.env })).trim();
  },
  clientWords: (_sdk, folder) => [path.join(folder, 'program')],
  describeServer: async (sdk, folder) => {
    await buildGo(sdk, folder, './server');
    return COMPILED;
  },
};

const rust: LanguageTools = {
  index: 'cargo',
  prepareClient: async (sdk, folder) => {
    const options = { cwd: folder, env: CARGO_ENVIRONMENT };
    await runProgram('cargo', ['build', '--quiet', '--bins'], options);
    const id = await runProgram('cargo', ['pkgid', '--quiet', sdk.package], options);
    return id.trim().replace(/^.*@/s, '');
  },
  clientWords: () => [path.join(CARGO_FOLDER, 'debug/client')],
  describeServer: async (_sdk, folder) => {
    const options = { cwd: folder, env: CARGO_ENVIRONMENT };
    await runProgram('cargo', ['build', '--quiet', '--bin', 'server'], options);
    await copyFile(path.join(CARGO_FOLDER, 'debug/server'), path.join(folder, 'program'));
    return COMPILED;
  },
};

const java: LanguageTools = {
  index: 'maven',
  prepareClient: async (sdk, folder) => {
    await buildJava(folder);
    const artifact = sdk.package.replace(/^.*:/, '');
    const jars = (await readdir(path.join(folder, 'lib'))).map((name) =>
      new RegExp(`^${artifact}-(\\d.*)\\.jar$`).exec(name)?.at(1),
    );
    return jars.find((version) => version !== undefined) ?? '';
  },
  clientWords: () => ['java', '-cp', 'lib/*:.', 'WorldClient'],
  describeServer: async (_sdk, folder, { images }) => {
    await buildJava(folder);
    return {
      base: await images.provideFor({ target: 'java://server' }),
      lines: 'ENTRYPOINT ["java", "-cp", "/app/lib/*:/app", "WorldServer"]',
    };
  },
};

/** How the programs of each language are prepared and started. */
export const SDK_LANGUAGES: Readonly<Record<SdkLanguage, LanguageTools>> = { node, python, go, rust, java };

function pythonWords({ package: name }: WorldSdk, uv: string): readonly string[] {
  return [uv, 'run', '--quiet', '--no-project', '--python', findPython(), '--with', name, 'python'];
}

async function buildGo(
  sdk: WorldSdk,
  folder: string,
  program: `./${ClientProgram}` | './server',
): Promise<void> {
  const options = { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' } };
  await runProgram('go', ['get', `${sdk.package}@latest`], options);
  await runProgram('go', ['mod', 'tidy'], options);
  await runProgram('go', ['build', '-o', 'program', program], options);
}

async function buildJava(folder: string): Promise<void> {
  const options = { cwd: folder, env: process.env };
  await runProgram('mvn', ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], options);
  const sources = ['WorldClient.java', 'WorldServer.java'];
  await runProgram('javac', ['--release', '17', '-cp', 'lib/*', '-d', '.', ...sources], options);
}
