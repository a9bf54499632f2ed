import { folderUnusable, type PackageFolder, readProjectFile } from '@portolan/scheme-kit';
import { normalName } from './resolve-python-version.ts';

export interface PythonFolder {
  readonly root: string;
  /** Normalized name of the project. */
  readonly name: string;
}

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Files of a folder that Python creates itself. */
export const LEFT_OUT: readonly string[] = ['**/.venv', '**/__pycache__', '**/*.egg-info'];

/** Throws ERR_PACKAGE_FOLDER. */
export async function readPythonFolder(
  reference: PackageFolder,
  workingDirectory: string,
): Promise<PythonFolder> {
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
