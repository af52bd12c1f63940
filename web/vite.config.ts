import { defineConfig } from 'vite';

/** The build, the development server and the unit tests share this. */
export default defineConfig({
  // A warning about a slow build concerns the machine, not the site.
  build: { rolldownOptions: { checks: { bundlerTimings: false } } },
  css: { modules: { generateScopedName: '[hash:base64:4]' } },
});
