import path from 'node:path';
import { parseDuration } from '@portolan/plugin-api';
import { findHeaderFault, findImageReference, isLoopbackHost } from '@portolan/outbound';
import { isDuration } from '../../parse/duration.ts';
import { showDuration } from '../../parse/format-duration.ts';
import { findPlaceholder } from '../../parse/placeholder.ts';
import { findTargetPathFault } from '../../parse/target-path.ts';
import { isEndpointPrefix } from '../../parse/endpoint-prefix.ts';
import { badNumber, badSetting, unusableSetting } from '../../parse/parse-errors.ts';
import { parsePort } from '../../parse/published-port.ts';
import { findSecretReference } from '../../parse/secret-reference.ts';
import { refuseReservedImage } from '../../target/target-errors.ts';
import { findStoreAddress } from '../../parse/store-address.ts';
import { oneOf } from '../../parse/text-faults.ts';
import { formatVolume, parseVolume, type PathContext } from '../../parse/volume.ts';
import { isScope } from '../oidc-config.ts';
import { isMostSessions, MAX_SESSIONS } from '../stdio-sessions.ts';
import { isTransportName } from '../transports.ts';

// Each function returns the value as it is stored, and throws ERR_SETTING.

/** Rejects NUL, which no program can receive in an argument or variable. */
export function checkText(text: string, place: string): string {
  if (!text.includes('\0')) return text;
  throw unusableSetting(place, 'a text with a NUL character', 'a text without it');
}

export function checkFilled(text: string, place: string): string {
  if (text.trim() === '') throw badSetting(place, text, 'a value');
  return checkText(text, place).trim();
}

/**
 * Checks a secret: printable ASCII characters (RFC 6749, appendix A). Trims blanks. Errors never quote the
 * text.
 */
export function checkSecret(text: string, place: string): string {
  const secret = text.trim();
  if (secret === '') throw unusableSetting(place, 'an empty text', 'a secret');
  if (/^[ -~]+$/.test(secret)) return text;
  throw unusableSetting(place, 'a text with other characters', 'a secret of printable ASCII characters');
}

/** Checks a path, and resolves it when a context is given. */
export function checkPath(file: string, place: string, context: PathContext | undefined): string {
  if (file.trim() === '' || file.includes('\0')) throw badSetting(place, file, 'the path of a file');
  if (context === undefined) return file;
  const { workingDirectory, home } = context;
  return path.resolve(workingDirectory, file.startsWith('~/') ? path.join(home, file.slice(2)) : file);
}

/** Checks a path without resolving it. The code that opens the file resolves it. */
export function checkUnresolvedPath(file: string, place: string): string {
  return checkPath(file, place, undefined);
}

/** Parses a choice case-insensitively. */
export function parseChoice<Choice extends string>(
  text: string,
  place: string,
  choices: readonly Choice[],
): Choice {
  const match = choices.find((choice) => text === choice || text === choice.toUpperCase());
  if (match === undefined) throw badSetting(place, text, oneOf(choices));
  return match;
}

export function checkPort(port: number, place: string): number {
  if (parsePort(String(port)) === undefined) throw badNumber(place, port, 'a port from 1 to 65535');
  return port;
}

/** Rejects ports that unprivileged programs cannot listen on. */
export function checkCallbackPort(port: number, place: string): number {
  if (Number.isInteger(port) && port >= 1024 && port <= 65_535) return port;
  throw badNumber(place, port, 'a port from 1024 to 65535');
}

export function checkMostSessions(count: number, place: string): number {
  if (isMostSessions(count)) return count;
  throw badNumber(place, count, `a number from 1 to ${MAX_SESSIONS}`);
}

export function checkCount(count: number, place: string): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw badNumber(place, count, 'a whole number that is not negative');
}

export function checkNanoseconds(ns: number, place: string): number {
  if (ns >= 0) return ns;
  throw unusableSetting(place, showDuration(ns / 1_000_000), 'a duration that is not negative');
}

export function checkDuration(text: string, place: string): string {
  if (isDuration(text)) return text;
  throw badSetting(place, text, 'a duration that is not negative, such as 45m0s');
}

/** Minimum idle time after which a server stops, in milliseconds. A shorter time would stop it between calls. */
const MIN_IDLE_MS = 1000;

export function checkIdleTime(text: string, place: string): string {
  if (text === '' || (isDuration(text) && parseDuration(text) >= MIN_IDLE_MS)) return text;
  throw badSetting(place, text, 'a duration of at least 1s, such as 10m, or none');
}

/** Returns the origin as browsers write it. */
export function checkOrigin(text: string, place: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === undefined || origin === 'null') {
    throw badSetting(place, text, 'an origin such as https://app.acme.example');
  }
  return origin;
}

export function checkEndpointPrefix(text: string, place: string): string {
  if (isEndpointPrefix(text)) return text;
  throw badSetting(place, text, 'a path that starts with /, other characters than those of a URL as %XX');
}

/**
 * Checks the URL path of a server. Rejects paths that the proxy handles itself, because they never reach the
 * server.
 */
export function checkTargetPath(text: string, place: string): string {
  const fault = findTargetPathFault(text);
  if (fault === undefined) return text;
  throw badSetting(place, text, fault);
}

/** Checks a base image. Throws ERR_IMAGE_RESERVED for a name that only Portolan uses. */
export function checkBaseImage(text: string, place: string): string {
  refuseReservedImage(text, place);
  return checkImage(text, place);
}

export function checkImage(text: string, place: string): string {
  if (findImageReference(text) !== undefined) return text;
  throw badSetting(place, text, 'an image reference');
}

/** Checks only the syntax of a transport's name, because plugins define which transports exist. */
export function checkTransportName(text: string, place: string): string {
  if (isTransportName(text.toLowerCase() === text ? text : text.toLowerCase())) return text;
  throw badSetting(place, text, 'the name of a transport, such as stdio');
}

/** Checks the URL of a remote server. Errors never quote a password. */
export function checkRemoteUrl(text: string, place: string): string {
  const url = URL.parse(text);
  const expected = 'an http or https URL without user name and password';
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw text.includes('@')
      ? unusableSetting(place, 'another text', expected)
      : badSetting(place, text, expected);
  }
  if (url.username !== '' || url.password !== '') throw badSetting(place, url.origin, expected);
  const open = findPlaceholder(text);
  if (open === undefined) return text;
  throw unusableSetting(place, `the placeholder ${open}`, 'a URL in which every {name} is replaced');
}

/** Checks the address of a session store. Errors never quote a password. */
export function checkSessionStore(text: string, place: string): string {
  if (findStoreAddress(text) !== undefined) return text;
  const expected = 'memory, or an address without a password, redis://HOST:PORT/DB';
  if (text.includes('@')) throw unusableSetting(place, 'an address with a user in it', expected);
  throw badSetting(place, text, expected);
}

/** Checks a secret reference. Errors never quote the text, which may be the secret itself. */
export function checkSecretReference(text: string, place: string): string {
  if (findSecretReference(text) !== undefined) return text;
  throw unusableSetting(place, 'no reference to a secret', 'NAME,target=TARGET');
}

/** Checks a volume. Resolves its host path when a context is given. */
export function checkVolume(text: string, place: string, context: PathContext | undefined): string {
  const volume = parseVolume(text, place, context ?? { workingDirectory: '/', home: '/' });
  return context === undefined ? text : formatVolume(volume);
}

/** Checks an address that receives codes, tokens or secrets: it must use https, or http on this machine. */
export function checkEndpoint(text: string, place: string): string {
  const url = URL.parse(text);
  // Checked first, so that no message quotes a password.
  if (url !== null && (url.username !== '' || url.password !== '' || url.hash !== '')) {
    throw badSetting(place, url.origin, 'an address without user, password and fragment');
  }
  const isLocal = url?.protocol === 'http:' && isLoopbackHost(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isLocal)) {
    throw badSetting(place, text, 'an https address; http is for localhost, 127.0.0.1 and ::1');
  }
  return text;
}

/** Checks a resource (RFC 8707, section 2). */
export function checkResource(text: string, place: string): string {
  if (text === '') return text;
  const url = URL.parse(text);
  if (url === null || url.host === '' || text.includes('#')) {
    throw badSetting(place, text, 'an absolute URI with a host and without a fragment, or nothing: ""');
  }
  return text;
}

export function checkWord(text: string, place: string): string {
  if (/^[!-~]{1,2048}$/.test(text)) return text;
  throw badSetting(place, text, 'printable characters without spaces');
}

/** Checks a scope (RFC 6749, section 3.3). */
export function checkScope(text: string, place: string): string {
  if (isScope(text) && text.length <= 2048) return text;
  throw badSetting(place, text, 'scopes, separated by commas');
}

export function checkHttpUrl(text: string, place: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw badSetting(place, text, 'an https URL');
}

export function checkTokenHeader(name: string, place: string): string {
  if (!/^authorization$/i.test(name) && findHeaderFault(name, 'x') === undefined) return name;
  throw badSetting(place, name, 'the name of a header that is not used otherwise, such as X-Upstream-Token');
}

export function checkToolName(text: string, place: string): string {
  const name = text.trim();
  if (name !== '') return name;
  throw badSetting(place, text, 'names of tools, separated by commas');
}

const PACKAGE = /^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,127}$/;
const REQUIREMENT = /^[a-zA-Z0-9][a-zA-Z0-9._+[\],<>=!~* -]{0,127}$/;

/** Checks the name of a system package, which becomes part of build commands. */
export function checkSystemPackage(name: string, place: string): string {
  if (PACKAGE.test(name)) return name;
  throw badSetting(place, name, 'the name of a system package');
}

/** Checks a Python requirement, which becomes part of build commands. */
export function checkRequirement(text: string, place: string): string {
  if (REQUIREMENT.test(text)) return text;
  throw badSetting(place, text, 'a requirement such as pydantic<2.13');
}

/** Checks a network mode, which may be the name of a network. */
export function checkNetworkMode(text: string, place: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,253}$/.test(text)) return text;
  throw badSetting(place, text, 'host, none, bridge, or the name of a network');
}
