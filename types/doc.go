// Package types holds datatypes: recipes for where data lie and what they are.
package types
