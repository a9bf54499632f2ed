import v8 from 'node:v8';

/**
 * Lets V8 enlarge the young generation of its heap, which calls with large messages need. Supervisors start
 * with a fixed size, because loading code would enlarge it, and an idle process would keep that memory.
 */
export function enlargeHeap(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
