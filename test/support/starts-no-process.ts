import { subscribe } from 'node:diagnostics_channel';

/**
 * Preload module of the fast tier. A test that starts a process fails with a message that names the right
 * tier.
 */
subscribe('child_process', (message) => {
  // SAFETY: Node.js documents this type.
  const { process: started } = message as { readonly process?: { readonly spawnfile?: string } };
  throw new Error(
    `the test has started ${started?.spawnfile ?? 'a process'}; name its file .slow.test.ts, or move it to test/system`,
  );
});
