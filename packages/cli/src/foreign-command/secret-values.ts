import { isCredentialHeader } from '@portolan/run-spec';

const SECRET_NAME =
  /(?:^|[_-])(?:pat|key|apikey|auth|dsn|pwd|pass|passphrase|bearer|private)(?:[_-]|$)|connection_?string/i;
/** Matches values of secrets by their prefix: keys of known services, and JSON Web Tokens. */
const SECRET_VALUE =
  /^(?:sk-|pk-|rk_|sk_|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|hf_|tvly-|fc-|ntn_|secret_|lin_api_|dop_v1_|figd_|pypi-)[\w.-]{6,}/;

/** Matches text that contains a key: a header, a `NAME=VALUE` pair, or a member of JSON. */
const SECRET_PART =
  /\b(?:bearer|basic)\s+\S{6,}|(?:authorization|api[_-]?key|access[_-]?key|token|secret|password)[\w-]*["']?\s*[:=]\s*["']?[^\s"',}]{4,}/i;

/** Returns whether a value looks like a secret, by its name or its form. */
export function looksSecret(name: string, value: string): boolean {
  if (/^(?:true|false|yes|no|on|off|\d{1,9})$/i.test(value) && !/pass|secret|pin/i.test(name)) return false;
  if (/(?:_|-)(?:file|path|dir|url|uri|host)$/i.test(name)) return hasPassword(value);
  return (
    isCredentialHeader(name) ||
    SECRET_NAME.test(name) ||
    SECRET_VALUE.test(value) ||
    SECRET_PART.test(value) ||
    hasPassword(value) ||
    isRandom(value)
  );
}

function hasPassword(value: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]+@/i.test(value)) return true;
  return /[?&](?:[\w-]*(?:key|token|secret|password))=[^&\s]{4,}/i.test(value);
}

/** Returns whether a text is long and mixes letters and digits as keys do. */
function isRandom(value: string): boolean {
  return (
    /^[A-Za-z0-9+_=-]{24,}$/.test(value) &&
    /[0-9]/.test(value) &&
    /[a-z]/i.test(value) &&
    !/^[a-z]+(?:-[a-z0-9]+)+$/.test(value)
  );
}

/** Returns an address with shell variables in place of its secrets, and the names of the variables. */
export function hideInAddress(address: string): { readonly word: string; readonly names: readonly string[] } {
  const names: string[] = [];
  const word = address
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/i, '$1')
    .replaceAll(/([?&])([^=&#]*)=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
      if (!looksSecret(name, value)) return whole;
      names.push(secretName(name));
      return `${mark}${name}=$${secretName(name)}`;
    });
  return { word: names.length === 0 ? word : `"${word}"`, names };
}

/** Returns the name of the secret for a flag or a header: `API_KEY` for `--api-key`. */
export function secretName(text: string): string {
  const name = text
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `SECRET${name === '' ? '' : `_${name}`}`;
}
