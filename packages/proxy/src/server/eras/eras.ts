export { ERA_LIMITS } from './era-options.ts';
export type { EraLimits, EraOptions } from './era-options.ts';
export { translateEras } from './translate-eras.ts';
export type { TranslatedServer } from './translate-eras.ts';
