import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What the build, the development server and the unit tests share. */
export default defineConfig({
  plugins: [react()],
  // A warning about a slow build speaks of the machine, not of the site.
  build: { rolldownOptions: { checks: { bundlerTimings: false } } },
  css: { modules: { generateScopedName: '[hash:base64:4]' } },
});
