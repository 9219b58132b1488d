# nginx's own makefile, run in its directory, with flags for our files only

include objs/Makefile

objs/addon/%.o: CFLAGS += $(OWN_FLAGS)
