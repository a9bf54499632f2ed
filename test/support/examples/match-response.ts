import { expect } from 'chai';

/** Placeholder in a README for text that is left out or that changes with each start. */
const ANYTHING = '…';

/**
 * Compares JSON with the sample in a README. The text `…` matches any value. The member `"…": "…"` allows
 * further members.
 */
export function expectJson(actual: unknown, shown: unknown): void {
  expect(fill(actual, shown)).to.deep.equal(shown);
}

/** Expects all lines of a sample in this order. Other lines may come between them. */
export function expectLines(actual: string, shown: string): void {
  const pattern = shown.split('\n').map(linePattern);
  expect(actual).to.match(new RegExp(pattern.join('\\n(?:.*\\n)*'), 'm'));
}

function linePattern(shown: string): string {
  return `^${shown.split(ANYTHING).map(escape).join('.*')}$`;
}

/** Compares text with the sample in a README. `…` matches anything within a line. */
export function expectText(actual: string, shown: string): void {
  const pattern = shown.split(ANYTHING).map(escape).join('[^\\n]*');
  expect(actual.trim()).to.match(new RegExp(`^${pattern}$`));
}

/** Replaces parts of the actual value with `…` where the sample has it. */
function fill(actual: unknown, shown: unknown): unknown {
  if (shown === ANYTHING && actual !== undefined) return ANYTHING;
  if (Array.isArray(actual) && Array.isArray(shown))
    return actual.map((item, index) => fill(item, shown[index]));
  if (!isObject(actual) || !isObject(shown)) return actual;
  const open = Object.hasOwn(shown, ANYTHING);
  const members = Object.entries(actual).filter(([key]) => !open || Object.hasOwn(shown, key));
  return {
    ...Object.fromEntries(members.map(([key, value]) => [key, fill(value, shown[key])])),
    ...(open ? { [ANYTHING]: ANYTHING } : {}),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
