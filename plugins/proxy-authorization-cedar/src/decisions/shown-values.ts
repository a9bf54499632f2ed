/** Maximum size of shown values in bytes, as in the audit log. */
const MAX_BYTES = 1024;
const MAX_CHARACTERS_OF_A_NAME = 100;
const MASKED = '[secret]';

const SECRET_NAME =
  /token|passw|passphrase|pwd|secret|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|sharedkey|sshkey|credential|cookie|bearer|jwt|assertion|connectionstring/;

// Matches secrets in linear time, because a text can have megabytes. Avoids `+`: V8 can then throw a
// RangeError when the process has compiled much code for patterns.
const SECRET_TEXT = /(?<=eyJ[\w-]*)\.[\w-][\w-]*\.|^\s*(?:bearer|basic)\s\s*\S|:\/\/[^/:@\s]*:[^/@\s]*@/i;

/** Masks values that look secret by name or form, and cuts them to the limit of audit bodies. */
export function shownValues(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  let left = MAX_BYTES;
  for (const [input, value] of Object.entries(values)) {
    const name = input.slice(0, MAX_CHARACTERS_OF_A_NAME);
    // Long texts are neither searched nor measured, because callers can send megabytes.
    const isLong = typeof value === 'string' && value.length > MAX_BYTES;
    const masked = isLong ? '[cut]' : maskValue(name, value);
    const size = Buffer.byteLength(JSON.stringify([name, masked]));
    left -= size;
    Object.defineProperty(shown, name, {
      value: left < 0 ? '[cut]' : masked,
      enumerable: true,
      configurable: true,
    });
    // A large number of names alone could exceed the limit.
    if (left < -MAX_BYTES) break;
  }
  return shown;
}

function maskValue(name: string, value: unknown): unknown {
  const letters = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
  if (SECRET_NAME.test(letters) && typeof value !== 'boolean') return MASKED;
  if (typeof value === 'string') return SECRET_TEXT.test(value) ? MASKED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue('', item));
  // Formatted as in a policy.
  if ('__extn' in value) return writtenExtension(value['__extn']);
  return Object.fromEntries(
    Object.entries(value).map(([inner, member]) => [inner, maskValue(inner, member)]),
  );
}

function writtenExtension(extension: unknown): unknown {
  if (typeof extension !== 'object' || extension === null) return extension;
  const { fn, arg }: { readonly fn?: unknown; readonly arg?: unknown } = extension;
  return typeof fn === 'string' ? `${fn}(${JSON.stringify(arg)})` : extension;
}
