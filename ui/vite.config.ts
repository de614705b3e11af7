import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

/** The style of reports follows the system; the page also lets its reader choose a theme. */
function themes(): Plugin {
  return {
    name: "themes",
    enforce: "pre",
    transform(css, id) {
      if (!id.endsWith("/html/style.css")) return null;
      const light = css.match(/^:root\{([^}]*)\}/m)?.[1];
      const dark = css.match(/prefers-color-scheme:dark\)\{:root\{([^}]*)\}/)?.[1];
      if (!light || !dark) throw new Error("style.css does not begin with the colors of both themes");
      const chosen = `:root[data-theme=light]{${light};color-scheme:light}:root[data-theme=dark]{${dark};color-scheme:dark}`;
      return `${css}\n@media screen{${chosen}}\n`;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [themes(), svelte({ compilerOptions: { runes: true } })],
  server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
  build: {
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { output: { entryFileNames: "app.js", assetFileNames: "app[extname]", codeSplitting: false } },
  },
});
