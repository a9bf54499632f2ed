import { isEndpointPrefix } from '../parse/endpoint-prefix.ts';
import { parsePort } from '../parse/published-port.ts';
import { oneOf } from '../parse/text-faults.ts';
import { isMostSessions, MOST_SESSIONS_EVER } from '../run-config/stdio-sessions.ts';
import { badSetting } from './settings-errors.ts';

/** One of the choices, all in small or all in capital letters. Throws ERR_SETTING. */
export function parseChoice<Choice extends string>(
  text: string,
  place: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => text === choice || text === choice.toUpperCase());
  if (found === undefined) throw badSetting(place, text, oneOf(choices));
  return found;
}

/** A port that can be listened on. Throws ERR_SETTING. */
export function checkPort(port: number, place: string): number {
  if (parsePort(String(port)) === undefined) throw badSetting(place, String(port), 'a port from 1 to 65535');
  return port;
}

/** How many sessions there may be. Throws ERR_SETTING. */
export function checkMostSessions(count: number, place: string): number {
  if (isMostSessions(count)) return count;
  throw badSetting(place, String(count), `a number from 1 to ${MOST_SESSIONS_EVER}`);
}

/** A web origin, written as browsers do. Throws ERR_SETTING. */
export function checkOrigin(text: string, place: string): string {
  const origin = URL.parse(text)?.origin;
  if (origin === undefined || origin === 'null') {
    throw badSetting(place, text, 'an origin such as https://app.acme.example');
  }
  return origin;
}

/** A path to put in front of others. Throws ERR_SETTING. */
export function checkEndpointPrefix(text: string, place: string): string {
  if (isEndpointPrefix(text)) return text;
  throw badSetting(place, text, 'a path that starts with /, other characters than those of a URL as %XX');
}

/** A duration in milliseconds. Throws ERR_SETTING for one that is negative. */
export function checkNotNegative(ms: number, place: string): number {
  if (ms >= 0) return ms;
  throw badSetting(place, `${ms}ms`, 'a duration that is not negative');
}
