import { subscribe } from 'node:diagnostics_channel';

/** Loaded before the tests of the fast tier: one that starts a process fails, and is told where it belongs. */
subscribe('child_process', (message) => {
  const { process: started } = message as { readonly process?: { readonly spawnfile?: string } }; // as Node documents it
  throw new Error(
    `the test has started ${started?.spawnfile ?? 'a process'}; name its file .slow.test.ts, or move it to test/system`,
  );
});
