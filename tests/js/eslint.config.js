// The rules for all JavaScript of the project.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    rules: {
      "max-lines-per-function": ["error", { max: 50, skipBlankLines: false, skipComments: false }], // a screen
      "max-lines": ["error", 300],
      complexity: ["error", 12],
      eqeqeq: "error",
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector: "TemplateElement[value.raw=/\\n/]",
          message: "Text over several lines is changed when scripts are joined for a page.",
        },
        { selector: "ExportNamedDeclaration[declaration=null]", message: "Export where it is declared: see figures/page/scripts.py." },
      ],
    },
  },
  { files: ["site_build/page/browser/worker.js"], languageOptions: { globals: globals.serviceworker } },
  { files: ["site_build/page/browser/doctor_worker.js"], languageOptions: { globals: globals.worker } },
  { files: ["tests/js/**", "site_build/page/kernel/*.js"], languageOptions: { globals: globals.node } },
];
