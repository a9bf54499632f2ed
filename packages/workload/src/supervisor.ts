export { provideEmptyFile } from './supervisor/overlays/empty-file.ts';
export { resolveOverlays } from './supervisor/overlays/resolve-overlays.ts';
export { superviseWorkload } from './supervisor/supervise-workload.ts';
