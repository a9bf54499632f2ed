import type { BuildInput, BuildPlan } from '@portolan/plugin-api';
import {
  environmentLines,
  execLine,
  IMAGE_USER,
  planSystemStage,
  requirementInvalid,
  scriptLine,
} from '@portolan/plugin-api';
import { ENTRY_SCRIPT, INSTALL_SCRIPT, START_FILE, TOOLS } from './build-scripts.ts';
import { needsIndexedPackage } from './errors.ts';
import type { PythonIndexes } from './python-indexes.ts';
import { normalName } from './resolve-python-version.ts';

export const USUAL_BASE = 'python:3.14-slim';

/** A name with constraints: no option of a tool, no address, no path. */
const REQUIREMENT = /^[a-zA-Z0-9][a-zA-Z0-9._+[\],<>=!~* -]{0,127}$/;

/**
 * Two stages: uv, or pip where the base has no uv, installs the package into an
 * environment of its own, and its program is found out once, there; the image
 * gets that environment and nothing else. Throws ERR_PACKAGE_FOLDER,
 * ERR_BUILD_REQUIREMENT and ERR_SYSTEM_PACKAGE.
 */
export function planPythonImage(input: BuildInput, indexes: PythonIndexes): BuildPlan {
  const { reference, buildWith, entryArguments = [] } = input;
  if (reference.from !== 'index') throw needsIndexedPackage(reference.path);
  const wrong = buildWith.find((text) => !REQUIREMENT.test(text));
  if (wrong !== undefined) throw requirementInvalid('uvx', wrong);
  const { name, extras, version } = reference;
  const system = planSystemStage(input, USUAL_BASE);
  const normal = normalName(name);
  const parts = extras.length === 0 ? '' : `[${extras.join(',')}]`;
  const requirement = `${normal}${parts}${version === undefined ? '' : `==${version}`}`;
  const lines = [
    ...system.lines,
    '',
    'FROM system AS build',
    ...environmentLines({ ...INSTALL_VARIABLES, ...indexVariables(indexes) }),
    scriptLine(INSTALL_SCRIPT, [normal, requirement, ...buildWith]),
    execLine('RUN', [`${TOOLS}/${normal}/bin/python`, '-c', ENTRY_SCRIPT, normal]),
    '',
    'FROM system',
    `COPY --from=build ${TOOLS} ${TOOLS}`,
    ...environmentLines({ PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1', HOME: '/tmp' }),
    'WORKDIR /app',
    `USER ${IMAGE_USER}`,
    execLine('ENTRYPOINT', [START_FILE, ...entryArguments]),
    '',
  ];
  return {
    dockerfile: lines.join('\n'),
    baseImages: [system.baseImage],
    buildArguments: {},
    files: system.files,
  };
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
  // The Python of the image, which the final stage has as well.
  UV_PYTHON_DOWNLOADS: 'never',
  UV_PYTHON_PREFERENCE: 'only-system',
};

function indexVariables({ usual, more }: PythonIndexes): Readonly<Record<string, string>> {
  const others = more.map(({ href }) => href).join(' ');
  // pip takes no plain HTTP without being told.
  const plain = [usual, ...more].filter(({ protocol }) => protocol === 'http:').map(({ host }) => host);
  return {
    UV_DEFAULT_INDEX: usual.href,
    PIP_INDEX_URL: usual.href,
    ...(others === '' ? {} : { UV_INDEX: others, PIP_EXTRA_INDEX_URL: others }),
    ...(plain.length === 0 ? {} : { PIP_TRUSTED_HOST: plain.join(' '), UV_INSECURE_HOST: plain.join(' ') }),
  };
}
