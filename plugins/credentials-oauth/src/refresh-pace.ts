import type { RefreshPace } from '@portolan/oauth-client';
import { parseDuration, PortolanError } from '@portolan/plugin-api';

/** Environment variables, with the setting of each. */
const DURATIONS: readonly (readonly [name: string, field: keyof RefreshPace])[] = [
  ['PORTOLAN_TOKEN_REFRESH_INITIAL_RETRY_INTERVAL', 'firstRetryMs'],
  ['PORTOLAN_TOKEN_REFRESH_MAX_RETRY_INTERVAL', 'longestRetryMs'],
  ['PORTOLAN_TOKEN_REFRESH_MAX_ELAPSED_TIME', 'quickMs'],
  ['PORTOLAN_TOKEN_AUTH_RETRYING_TICK_INTERVAL', 'slowRetryMs'],
  ['PORTOLAN_TOKEN_AUTH_RETRYING_MAX_ELAPSED', 'giveUpMs'],
];
const TRIES = 'PORTOLAN_TOKEN_REFRESH_MAX_TRIES';

/** Throws ERR_SETTING for a value that is not a positive duration or number. */
export function readRefreshPace(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<RefreshPace> {
  const pace: { -readonly [Field in keyof RefreshPace]?: RefreshPace[Field] } = {};
  for (const [name, field] of DURATIONS) {
    const match = find(environment, name);
    if (match !== undefined) pace[field] = durationOf(match);
  }
  const tries = find(environment, TRIES);
  if (tries !== undefined) {
    if (!/^[1-9]\d{0,5}$/.test(tries.text)) throw paceRefused(tries, 'a number of tries from 1', '5');
    pace.quickTries = Number(tries.text);
  }
  return pace;
}

interface PaceVariable {
  readonly name: string;
  readonly text: string;
}

/** Returns the variable, else ToolHive's of the same meaning. */
function find(
  environment: Readonly<Record<string, string | undefined>>,
  own: string,
): PaceVariable | undefined {
  for (const name of [own, own.replace(/^PORTOLAN/, 'TOOLHIVE')]) {
    const text = environment[name];
    if (text !== undefined && text !== '') return { name, text };
  }
  return undefined;
}

function durationOf(match: PaceVariable): number {
  try {
    const ms = parseDuration(match.text);
    if (ms > 0) return ms;
  } catch {
    // reported below, with the name of the variable
  }
  throw paceRefused(match, 'a duration above zero', '30s or 5m');
}

function paceRefused({ name, text }: PaceVariable, expected: string, example: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `The variable ${name} is ${JSON.stringify(text)}; expected ${expected}.`,
    { hint: `Set it to ${example}, or remove it.` },
  );
}
