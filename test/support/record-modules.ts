/** Writes the address of every module that a process loads into the file that MODULES_FILE names. */
const RECORD = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => {
  appendFileSync(process.env.MODULES_FILE, url + '\\n');
  return next(url, context);
} });`;

/** Variables of a process, whose modules are then lines of this file. */
export function recordModules(file: string): Readonly<Record<string, string>> {
  return {
    MODULES_FILE: file,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RECORD)}`,
  };
}
