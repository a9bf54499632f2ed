import { bundledProgram } from '../../../../../test/support/bundled-program.ts';

/** The program of a conformance server by standard input and output; from the sources it needs their condition. */
export const STDIO_PROGRAM = bundledProgram('stdio-server', new URL('stdio-server.ts', import.meta.url));
