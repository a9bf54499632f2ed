import { type LocalIndexes, PYTHON_HOST } from './local-indexes.ts';
import { zipArchive } from './zip-archive.ts';

/** Server whose name in the response to `initialize` is `pynotes` and its arguments. */
export const SERVER = `import json, sys

def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        info = {"name": " ".join(["pynotes", *sys.argv[1:]]), "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
`;

/** Adds a wheel to the local index, which lists all versions on one page. */
export function publishWheel(
  indexes: LocalIndexes,
  name: string,
  version: string,
  { programs = [name], needs = [], isWithdrawn = false }: WheelSettings = {},
): void {
  const module = name.replaceAll('-', '_');
  const file = `${module}-${version}-py3-none-any.whl`;
  const info = `${module}-${version}.dist-info`;
  const requires = needs.map((one) => `Requires-Dist: ${one}\n`).join('');
  const files: Record<string, string> = {
    [`${module}.py`]: SERVER,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${requires}`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/entry_points.txt`]: `[console_scripts]\n${programs.map((one) => `${one} = ${module}:main\n`).join('')}`,
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((path) => `${path},,\n`).join('');
  const body = zipArchive({ ...files, [`${info}/RECORD`]: record });
  indexes.answers.set(`${PYTHON_HOST}/files/${file}`, { type: 'application/octet-stream', body });
  const page = `${PYTHON_HOST}/simple/${name}/`;
  const before = String(indexes.answers.get(page)?.body ?? '<!DOCTYPE html>\n');
  const yanked = isWithdrawn ? ' data-yanked="broken"' : '';
  const link = `<a href="/files/${file}"${yanked}>${file}</a><br>\n`;
  indexes.answers.set(page, { type: 'text/html', body: before + link });
}

export interface WheelSettings {
  readonly programs?: readonly string[];
  readonly needs?: readonly string[];
  readonly isWithdrawn?: boolean;
}
