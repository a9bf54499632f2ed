import { bundledProgram } from '../../../../../test/support/bundled-program.ts';

/**
 * Path of the program of a conformance server over standard input and output. From the sources, it needs the
 * condition `@portolan/source`.
 */
export const STDIO_PROGRAM = bundledProgram('stdio-server', new URL('stdio-server.ts', import.meta.url));
