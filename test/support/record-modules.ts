/** Module that writes the URL of every loaded module to the file in MODULES_FILE. */
const RECORD = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => {
  appendFileSync(process.env.MODULES_FILE, url + '\\n');
  return next(url, context);
} });`;

/** Returns variables for a process that make it write the modules that it loads to this file. */
export function recordModules(file: string): Readonly<Record<string, string>> {
  return {
    MODULES_FILE: file,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RECORD)}`,
  };
}
