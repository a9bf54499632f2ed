import type {
  BuildFolder,
  BuildInput,
  BuildPlan,
  BuildPreparation,
  PackageReference,
  SchemeOptions,
} from '@portolan/plugin-api';
import {
  environmentLines,
  execLine,
  IMAGE_USER,
  LOAD_CREDENTIALS,
  planStages,
  planSystemStage,
  requirementInvalid,
  scriptLine,
  usersLine,
  folderUnusable,
  type PackageFolder,
  readProjectFile,
} from '@portolan/scheme-kit';
import {
  ADOPT_INDEXES,
  ENTRY_SCRIPT,
  FORGET_INDEXES,
  INSTALL_SCRIPT,
  START_FILE,
  TOOLS,
} from './build-scripts.ts';
import { MORE_NAMES, type PythonIndexes, USUAL_NAMES } from './python-indexes.ts';
import { normalName } from './resolve-python-version.ts';

interface PythonFolder {
  readonly root: string;
  /** Normalized name of the project. */
  readonly name: string;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Files of a folder that Python creates itself. */
const LEFT_OUT: readonly string[] = ['**/.venv', '**/__pycache__', '**/*.egg-info'];

/** Throws ERR_PACKAGE_FOLDER. */
async function readPythonFolder(reference: PackageFolder, workingDirectory: string): Promise<PythonFolder> {
  const { root, text } = await readProjectFile(reference, 'pyproject.toml', workingDirectory);
  const name = findProjectName(text);
  if (name === undefined) throw folderUnusable(root, 'its pyproject.toml has no name in [project]');
  return { root, name: normalName(name) };
}

/** Reads the table `[project]` (PEP 621), or Poetry's own. */
function findProjectName(text: string): string | undefined {
  for (const table of ['project', 'tool.poetry']) {
    const [, name] =
      new RegExp(`^\\[${table}\\]\\s*$(?:\\n(?!\\s*\\[).*)*?\\n\\s*name\\s*=\\s*["']([^"']+)["']`, 'm').exec(
        text.replaceAll('\r', ''),
      ) ?? [];
    if (name !== undefined && NAME.test(name)) return name;
  }
  return undefined;
}

export const USUAL_BASE = 'python:3.14-slim';

/** Matches a name with constraints, and no option of a tool, address or path. */
const REQUIREMENT = /^[a-zA-Z0-9][a-zA-Z0-9._+[\],<>=!~* -]{0,127}$/;

/**
 * uv, or pip where the base has no uv, installs the package or folder into a separate environment. A script
 * finds its program once. The image gets nothing else. Throws ERR_PACKAGE_FOLDER and ERR_SETTING.
 */
export async function planPythonImage(
  input: BuildInput,
  indexes: PythonIndexes,
  { workingDirectory }: Pick<SchemeOptions, 'workingDirectory'>,
): Promise<BuildPlan> {
  const { reference, buildWith, entryArguments = [], prepared } = input;
  const wrong = buildWith.find((text) => !REQUIREMENT.test(text));
  if (wrong !== undefined) throw requirementInvalid('uvx', wrong);
  const { program } = reference;
  const system = planSystemStage(input, USUAL_BASE);
  const { normal, requirement, lines, folder } = await planRequirement(reference, workingDirectory);
  const words = [normal, requirement, ...buildWith];
  return planStages(system, {
    folder,
    build: [
      ...lines,
      ...environmentLines({ ...INSTALL_VARIABLES, ...indexVariables(indexes, prepared) }),
      scriptLine(prepared === undefined ? INSTALL_SCRIPT : PREPARED_SCRIPT, words),
      execLine('RUN', [
        `${TOOLS}/${normal}/bin/python`,
        '-c',
        ENTRY_SCRIPT,
        normal,
        ...(program === undefined ? [] : [program]),
      ]),
    ],
    image: [
      'FROM system',
      // A server with a writable root may write to its own folder.
      `COPY --from=build --chown=${IMAGE_USER} ${TOOLS} ${TOOLS}`,
      usersLine(input),
      ...environmentLines({ PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1', HOME: '/tmp' }),
    ],
    entry: [START_FILE, ...entryArguments],
  });
}

interface Requirement {
  /** Normalized name of the project. */
  readonly normal: string;
  /** Requirement in the syntax of uv and pip. */
  readonly requirement: string;
  readonly lines: readonly string[];
  readonly folder?: BuildFolder;
}

async function planRequirement(reference: PackageReference, workingDirectory: string): Promise<Requirement> {
  if (reference.from === 'folder') {
    const { root, name } = await readPythonFolder(reference, workingDirectory);
    return {
      normal: name,
      requirement: '/build/source',
      lines: ['COPY source/ /build/source/'],
      folder: { path: 'source', source: root, leavesOut: LEFT_OUT },
    };
  }
  const { name, extras, version } = reference;
  const normal = normalName(name);
  const parts = extras.length === 0 ? '' : `[${extras.join(',')}]`;
  const requirement = `${normal}${parts}${version === undefined ? '' : `==${version}`}`;
  return { normal, requirement, lines: [] };
}

const INSTALL_VARIABLES: Readonly<Record<string, string>> = {
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
  PIP_NO_INPUT: '1',
  PIP_PROGRESS_BAR: 'off',
  UV_TOOL_DIR: TOOLS,
  UV_TOOL_BIN_DIR: '/opt/tool-links',
  UV_LINK_MODE: 'copy',
  UV_COMPILE_BYTECODE: '1',
  UV_NO_PROGRESS: '1',
  // No download of Python, because the final stage has the image's Python as well.
  UV_PYTHON_DOWNLOADS: 'never',
  UV_PYTHON_PREFERENCE: 'only-system',
};

/** The installation replaces the shell of the image, so that later commands need another one. */
const PREPARED_SCRIPT: readonly string[] = [
  ...LOAD_CREDENTIALS,
  ...ADOPT_INDEXES,
  '(',
  ...INSTALL_SCRIPT,
  ')',
  ...FORGET_INDEXES,
];

/**
 * Returns the variables of the indexes. Those that a build variable names are empty here, whatever the base
 * image sets.
 */
function indexVariables(
  { usual, more }: PythonIndexes,
  prepared: BuildPreparation | undefined,
): Readonly<Record<string, string>> {
  const isGiven = (names: readonly string[]): boolean =>
    names.some((name) => prepared?.variables.includes(name) === true);
  const empty = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, '']));
  const [ownUsual, ownMore] = [isGiven(USUAL_NAMES), isGiven(MORE_NAMES)];
  const others = ownMore ? '' : more.map(({ href }) => href).join(' ');
  // pip accepts plain HTTP only with a flag.
  const plain = [...(ownUsual ? [] : [usual]), ...(ownMore ? [] : more)]
    .filter(({ protocol }) => protocol === 'http:')
    .map(({ host }) => host);
  return {
    ...(ownUsual ? empty(USUAL_NAMES) : { UV_DEFAULT_INDEX: usual.href, PIP_INDEX_URL: usual.href }),
    ...(ownMore ? empty(MORE_NAMES) : {}),
    ...(others === '' ? {} : { UV_INDEX: others, PIP_EXTRA_INDEX_URL: others }),
    ...(plain.length === 0 ? {} : { PIP_TRUSTED_HOST: plain.join(' '), UV_INSECURE_HOST: plain.join(' ') }),
  };
}
