import type { UserValue, Launch, Value } from './launch.ts';

/** Returns the last part of a server name, which clients use as its name. */
export function shortName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1) || name;
}

/** Returns the block for the configuration file of most clients. */
export function clientBlock(name: string, launch: Launch): string {
  return JSON.stringify({ mcpServers: { [shortName(name)]: settingsOf(launch, placeholder) } }, undefined, 2);
}

/**
 * Returns a link that installs a server in Visual Studio Code
 * (https://code.visualstudio.com/api/extension-guides/ai/mcp). Its JSON settings prompt the user for inputs.
 */
export function vsCodeLink(name: string, launch: Launch): string {
  const inputs = askedIn(launch).map(({ name: id, description, isSecret }) => ({
    type: 'promptString',
    id,
    description: description ?? id,
    ...(isSecret ? { password: true } : {}),
  }));
  const settings = {
    name: shortName(name),
    ...settingsOf(launch, ({ name: id }) => `\${input:${id}}`),
    ...(inputs.length === 0 ? {} : { inputs }),
  };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(settings))}`;
}

/**
 * Returns a link that installs a server in Cursor (https://docs.cursor.com/en/tools/developers). Its JSON
 * settings are base64-encoded.
 */
export function cursorLink(name: string, launch: Launch): string {
  const config = Buffer.from(JSON.stringify(settingsOf(launch, placeholder))).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(shortName(name))}&config=${encodeURIComponent(config)}`;
}

type Shown = (request: UserValue) => string;

function settingsOf(launch: Launch, shown: Shown): object {
  if ('url' in launch) {
    const { type, url, headers } = launch;
    return { type, url, ...unlessEmpty('headers', headers, shown) };
  }
  const { command, args, env } = launch;
  return { command, args, ...unlessEmpty('env', env, shown) };
}

function unlessEmpty(key: string, values: Readonly<Record<string, Value>>, shown: Shown): object {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    partsOf(value)
      .map((part) => (typeof part === 'string' ? part : shown(part)))
      .join(''),
  ]);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

function askedIn(launch: Launch): readonly UserValue[] {
  const values = Object.values('url' in launch ? launch.headers : launch.env).flatMap(partsOf);
  const requestedValues = values.filter((value) => typeof value !== 'string');
  return [...new Map(requestedValues.map((input) => [input.name, input])).values()];
}

function partsOf(value: Value): readonly (string | UserValue)[] {
  // `isArray` does not narrow a readonly list.
  return typeof value === 'string' || 'name' in value ? [value] : value;
}

function placeholder({ name }: UserValue): string {
  return `<${name}>`;
}
