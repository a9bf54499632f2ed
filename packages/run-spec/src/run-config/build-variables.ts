import { type KeyValue, parsePair } from '../parse/key-value.ts';
import { badSetting, unusableSetting } from '../parse/parse-errors.ts';

/** Variables that the operating system of an image sets or depends on. */
const RESERVED = new Set(
  'PATH HOME USER SHELL PWD HOSTNAME TERM LANG LC_ALL LD_PRELOAD LD_LIBRARY_PATH'.split(' '),
);

/** Proxy variables, which users may not set for a build. */
const PROXIES = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY']);

/** Returns what was expected of an invalid name; undefined for a valid name. */
export function expectedVariableName(name: string): string | undefined {
  return /^[A-Z][A-Z0-9_]*$/.test(name) && !RESERVED.has(name)
    ? undefined
    : 'a name in capitals that the system does not use itself';
}

/** Returns what was expected of an invalid name of a build variable. Builds allow more names. */
export function expectedBuildVariable(name: string): string | undefined {
  return PROXIES.has(name)
    ? 'another name: builds go through the proxy of the environment that Portolan itself has'
    : expectedVariableName(name);
}

/** Returns what was expected of an invalid value; undefined for a valid value. */
export function expectedVariableValue(value: string): string | undefined {
  return /[`\\\n\0";|<>]|\$[({]|&&/.test(value) ? 'a text that no shell would read' : undefined;
}

/** Parses `KEY=VALUE` for a build. Throws ERR_SETTING. */
export function parseBuildVariable(text: string, place: string): KeyValue {
  return checkBuildVariable(
    parsePair(text, () => badSetting(place, text, 'KEY=VALUE')),
    place,
  );
}

/**
 * Checks a variable that becomes part of build commands. Throws ERR_SETTING, which does not quote the value.
 */
export function checkBuildVariable({ key, value }: KeyValue, place: string): KeyValue {
  const expectedName = expectedVariableName(key);
  if (expectedName !== undefined) throw badSetting(place, key, expectedName);
  const expected = expectedVariableValue(value);
  if (expected === undefined) return { key, value };
  throw unusableSetting(`${place}.${key}`, 'a text with special characters', expected);
}
