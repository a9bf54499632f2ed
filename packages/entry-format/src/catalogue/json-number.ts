/** Parser state within a number (RFC 8259, section 6). */
export type NumberStep = 'minus' | 'zero' | 'integer' | 'point' | 'fraction' | 'e' | 'sign' | 'exponent';

const STEPS: Readonly<Record<NumberStep, (byte: number) => NumberStep | undefined>> = {
  minus: (byte) => (byte === 0x30 ? 'zero' : isDigit(byte) ? 'integer' : undefined),
  zero: afterInteger,
  integer: (byte) => (isDigit(byte) ? 'integer' : afterInteger(byte)),
  point: (byte) => (isDigit(byte) ? 'fraction' : undefined),
  fraction: (byte) => (isDigit(byte) ? 'fraction' : isExponentMark(byte) ? 'e' : undefined),
  e: (byte) => (byte === 0x2b || byte === 0x2d ? 'sign' : isDigit(byte) ? 'exponent' : undefined),
  sign: (byte) => (isDigit(byte) ? 'exponent' : undefined),
  exponent: (byte) => (isDigit(byte) ? 'exponent' : undefined),
};

/** Returns the next state. Undefined when the byte does not belong to the number. */
export function nextNumberStep(step: NumberStep, byte: number): NumberStep | undefined {
  return STEPS[step](byte);
}

export function mayEndNumber(step: NumberStep): boolean {
  return step === 'zero' || step === 'integer' || step === 'fraction' || step === 'exponent';
}

function afterInteger(byte: number): NumberStep | undefined {
  if (byte === 0x2e) return 'point';
  return isExponentMark(byte) ? 'e' : undefined;
}

function isExponentMark(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
