import { expect } from 'chai';

/** Stands in a README for what is left out or differs from start to start. */
const ANYTHING = '…';

/**
 * Compares JSON with what a README shows of it. A text `…` stands for any value;
 * a member `"…": "…"` allows members that are not shown.
 */
export function expectJson(actual: unknown, shown: unknown): void {
  expect(fill(actual, shown)).to.deep.equal(shown);
}

/** Sees that all lines that a README shows were printed, in this order, perhaps with others between. */
export function expectLines(actual: string, shown: string): void {
  const pattern = shown.split('\n').map(linePattern);
  expect(actual).to.match(new RegExp(pattern.join('\\n(?:.*\\n)*'), 'm'));
}

function linePattern(shown: string): string {
  return `^${shown.split(ANYTHING).map(escape).join('.*')}$`;
}

/** Compares text with what a README shows of it; `…` stands for anything within a line. */
export function expectText(actual: string, shown: string): void {
  const pattern = shown.split(ANYTHING).map(escape).join('[^\\n]*');
  expect(actual.trim()).to.match(new RegExp(`^${pattern}$`));
}

/** The actual value with `…` wherever the shown one has it. */
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
