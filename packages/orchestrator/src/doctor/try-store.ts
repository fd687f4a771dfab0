export { tryStore as tryS3 } from '../storage/try-store.ts';
